package parts

import "fmt"

// Cut returns block j of the numbers below width, cut into b blocks as equal as can be.
func Cut(width, b, j int) (lo, hi int) { return width * j / b, width * (j + 1) / b }

// CheckBlocks returns an error if there are more blocks than features.
func CheckBlocks(name string, blocks, features int) error {
	if blocks > features {
		return fmt.Errorf("%s: blocks = %d of features = %d leave some empty; lower blocks", name, blocks, features)
	}
	return nil
}
