package parts

import "fmt"

// Cut returns block j of 0 ≤ i < width, cut into b blocks whose sizes differ by at most 1: lo ≤ i < hi.
func Cut(width, b, j int) (lo, hi int) { return width * j / b, width * (j + 1) / b }

// CheckBlocks returns an error, for the named method, if there are more blocks than features.
func CheckBlocks(name string, blocks, features int) error {
	if blocks > features {
		return fmt.Errorf("%s: blocks = %d of features = %d leave some empty; lower blocks", name, blocks, features)
	}
	return nil
}
