package imports

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNotation reads columns in which a mark may be one for decimals or one for thousands.
func TestNotation(t *testing.T) {
	for name, c := range map[string]struct {
		head, rows string // rows separated by blanks
		decimal    string
		want       string // the values, or a part of the error
	}{
		"thousands, as some are below":          {"y", `"50,000" "4,419" 406`, "", "50000 4419 406"},
		"thousands, whatever the spec says":     {"y", `"50,000" "4,419" 406`, "comma", `c.csv:2: column "y": "50,000" on line 2 is 50000, because "406" on line 4 has no decimals, and curves.decimal = "comma" reads 50; remove it`},
		"points for thousands":                  {"z;y", `a;50.000 a;4.419 a;406`, "comma", "50000 4419 406"},
		"points for thousands, unsaid":          {"z;y", `a;50.000 a;4.419 a;406`, "", `set curves.decimal = "comma", so that points separate thousands`},
		"points for thousands, denied":          {"z;y", `a;50.000 a;4.419 a;406`, "point", `curves.decimal = "point" reads 50`},
		"commas that are either":                {"y", `"50,123" "4,419"`, "", `c.csv:2: column "y": set curves.decimal = "point" or "comma": "50,123" on line 2 is 50123 or 50.123`},
		"commas that are said to be thousands":  {"y", `"50,123" "4,419"`, "point", "50123 4419"},
		"commas that are said to be decimal":    {"y", `"50,123" "4,419"`, "comma", "50.123 4.419"},
		"a point beside a whole number":         {"z,y", `a,12.500 a,10`, "", `column "y": set curves.decimal = "point" or "comma": "12.500" on line 2`},
		"points that are said to be decimal":    {"z,y", `a,12.500 a,10`, "point", "12.5 10"},
		"points that are said to be thousands":  {"z,y", `a,12.500 a,10`, "comma", "12500 10"},
		"points that are either":                {"z;y", `a;2.303 a;1.982`, "", `column "y": set curves.decimal = "point" or "comma": "2.303" on line 2 is 2.303 or 2303`},
		"points, in fields between commas":      {"z,y", `a,2.303 a,1.982 a,1`, "", "2.303 1.982 1"},
		"points, as one is below 1":             {"z;y", `a;2.303 a;0.982`, "", "2.303 0.982"},
		"points, as one has four decimals":      {"z;y", `a;2.303 a;1.9825`, "", "2.303 1.9825"},
		"points, as another column has":         {"z;y", `0.5;2.303 0.25;1.982`, "", "2.303 1.982"},
		"thousands, as another column has them": {"z,y", `0.5,"50,123" 0.25,"4,419"`, "", "50123 4419"},
		"thousands beside decimal commas":       {"z;y", `0,5;1.234 0,25;2.345`, "comma", "1234 2345"},
		"both marks":                            {"y", `"100,251.46" "6,250.00" 390.5`, "", "100251.46 6250 390.5"},
		"both marks, the other way":             {"z;y", `a;100.251,46 a;6.250,00`, "comma", "100251.46 6250"},
		"two notations in a column":             {"z;y", `a;0.5 a;0,25`, "comma", `column "y": "0.5" on line 2 has a decimal point, and "0,25" on line 3 a decimal comma; write all`},
		"two notations that are either":         {"z;y", `a;2.303 a;1,982`, "comma", "have different marks, for decimals or for thousands; write all"},
		"decimal commas, unsaid":                {"z;y", `a;0,5 a;0,25`, "", `"0,5" on line 2 is not a number; if commas are decimal marks, set curves.decimal = "comma"`},
		"zeros need no decimals":                {"z;y", `a;2.500 a;0 a;0.125`, "", "2.5 0 0.125"},
		"JSON has points":                       {"", `{"y":50.120} {"y":406}`, "", "50.12 406"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.TrimPrefix(c.head+"\n"+strings.ReplaceAll(c.rows, " ", "\n"), "\n")
			o := Options{File: "c.csv", Decimal: c.decimal}
			table, err := o.Read(write(t, map[string]string{"c.csv": text}), wanted("y"), nil)
			if err != nil {
				require.ErrorContains(t, err, c.want)
				return
			}
			var got []string
			for _, p := range table.Curves[0].Points {
				got = append(got, strconv.FormatFloat(p.Values[0], 'f', -1, 64))
			}
			assert.Equal(t, c.want, strings.Join(got, " "))
		})
	}
}
