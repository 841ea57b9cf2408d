package records

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Numbers that JSON has not become strings, everywhere but within strings.
func TestLenient(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":NaN,"b":-Infinity}`:                    `{"a":"NaN","b":"-Infinity"}`,
		`[nan,inf,-inf,+Inf,Infinity, NaN ]`:         `["nan","inf","-inf","+Inf","Infinity", "NaN" ]`,
		`{"NaN":1,"a":"x, NaN, [Infinity]"}`:         `{"NaN":1,"a":"x, NaN, [Infinity]"}`,
		`{"a":"\", NaN","b\\":NaN,"c":"\\","d":NaN}`: `{"a":"\", NaN","b\\":"NaN","c":"\\","d":"NaN"}`,
		`{"a":1e5,"b":null,"c":true,"d":nana}`:       `{"a":1e5,"b":null,"c":true,"d":nana}`,
		`{"a":"unclosed, NaN`:                        `{"a":"unclosed, "NaN"`,
		"":                                           "",
	} {
		assert.Equal(t, want, string(Lenient([]byte(text))))
		if json.Valid([]byte(text)) {
			assert.Equal(t, text, string(Lenient([]byte(text))), "what JSON has stays")
		}
	}
}
