package printed

import (
	"fmt"
	"time"
)

// Duration writes a time in seconds in a suitable unit. A negative time is unknown.
func Duration(seconds float64) string {
	const century = 100 * 365.25 * 24 * 3600
	d := time.Duration(min(seconds, century) * float64(time.Second))
	switch {
	case seconds < 0:
		return "unknown"
	case seconds < 0.01:
		return "< 0.01 s"
	case seconds < 1:
		return fmt.Sprintf("%.2f s", seconds)
	case seconds < 10:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds < 90:
		return fmt.Sprintf("%.0f s", seconds)
	case d < 90*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	case seconds > century:
		return "more than a century"
	}
	return fmt.Sprintf("%.1f days", d.Hours()/24)
}

// Bytes writes a size in bytes in a suitable unit. A negative size is unknown.
func Bytes(n float64) string {
	if n < 0 {
		return "unknown"
	}
	units := []string{"B", "kB", "MB", "GB", "TB"}
	i := 0
	for n >= 999.5 && i < len(units)-1 {
		n /= 1000
		i++
	}
	if n < 10 && i > 0 {
		return fmt.Sprintf("%.1f %s", n, units[i])
	}
	return fmt.Sprintf("%.0f %s", n, units[i])
}
