package shards

// place returns "": other processes are judged by their heartbeats only.
func place() string { return "" }

func running(int) bool { return true }
