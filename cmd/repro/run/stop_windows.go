package run

// onStopSignal does nothing: Windows has no SIGUSR1.
func onStopSignal(func()) (forget func()) { return func() {} }
