package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// inline writes settings as TOML on one line.
func inline(v any) string {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return "{}"
		}
		return "{ " + pairs(v) + " }"
	case []any:
		items := make([]string, len(v))
		for i, e := range v {
			items[i] = inline(e)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case string:
		return strconv.Quote(v)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e6 {
			return strconv.FormatFloat(v, 'f', 1, 64)
		}
		return strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "e-0", "e-", 1)
	}
	return fmt.Sprint(v)
}

// pairs writes the keys and values of a TOML table without its braces. The key that names a thing comes first. Keys without
// a value are left out.
func pairs(m map[string]any) string {
	var keys []string
	for k, v := range m {
		if list, ok := v.([]any); v != nil && (!ok || len(list) > 0) {
			keys = append(keys, k)
		}
	}
	naming := []string{"schedule", "rule", "name"}
	slices.SortFunc(keys, func(a, b string) int {
		if d := slices.Index(naming, b) - slices.Index(naming, a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for i, k := range keys {
		keys[i] = k + " = " + inline(m[k])
	}
	return strings.Join(keys, ", ")
}
