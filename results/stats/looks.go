package stats

// The error that a verdict may make, 1 − Level, is spent on the looks that there may be: one with the number of seeds that was planned
// before the first of them, and one after every seed more or fewer. What each may spend follows from its number of seeds alone, so that
// the words of all of them together are wrong no more often than those of one look would be, whether or not anybody says how often
// they looked [Lan & DeMets 1983, Discrete sequential boundaries for clinical trials].
const (
	plannedShare = 0.9   // of the error, for the planned look
	laterShare   = 0.04  // for a look with more, times what was known at the planned one as a share of what is known now
	earlyShare   = 0.001 // for a look with fewer
)

// LookLevel returns the confidence at which a look with n seeds decides on a number that is a mean of k runs; k is +Inf if the number is
// known exactly. planned is how many seeds were planned. It is 0 if that is not known; the look then counts as the planned one. What is
// known with n seeds is 1/(1/n + 1/k), of which the looks are a Brownian motion: of a number of few runs, most is known at the first.
func LookLevel(n, planned int, k float64) float64 {
	share := plannedShare
	switch {
	case planned > 0 && n > planned:
		share = laterShare * (1/float64(n) + 1/k) / (1/float64(planned) + 1/k)
	case n < planned:
		share = earlyShare
	}
	return 1 - share*(1-Level)
}
