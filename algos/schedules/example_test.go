package schedules_test

import (
	"fmt"
	"log"
	"math"

	"repro/algos/schedules"
)

// Power is γ_t = γ₀/t^p.
type Power struct {
	Gamma0   float64 `toml:"gamma0" want:"> 0" doc:"step size γ₀ of the first iteration"`
	Exponent float64 `toml:"exponent" want:"> 0" doc:"p of γ_t = γ₀/t^p"`
}

func (s *Power) Gamma(t int) float64 { return s.Gamma0 * math.Pow(float64(t), -s.Exponent) }

func init() {
	schedules.Register("power", "γ_t = γ₀/t^p", func() schedules.Schedule {
		return &Power{Gamma0: 1, Exponent: 0.75}
	})
}

// A spec asks for the schedule with step = { schedule = "power", gamma0 = 0.5, exponent = 0.6 }.
func ExampleRegister() {
	s, err := schedules.New("power")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(schedules.Doc("power"))
	fmt.Printf("%.3f %.3f %.3f\n", s.Gamma(1), s.Gamma(16), s.Gamma(10000))
	// Output:
	// γ_t = γ₀/t^p
	// 1.000 0.125 0.001
}
