// Kaczmarz solves Ax = b by projections on rows that are drawn by their squared length [Strohmer & Vershynin 2009]. It is a program
// that repro asks for its steps, and imports nothing of repro.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
)

// A has rows of length 1 that point in all directions alike: the mean of aaᵀ over rows a is I/columns.
const rows, columns = 50, 20

// A solver has all that a step changes, in fields that JSON saves.
type solver struct {
	X    [columns]float64 // the solution is 1 everywhere
	Seed uint64
	Made uint64 // steps
}

func row(i int) (a [columns]float64) {
	for k := range columns / 2 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i*(k+1)) / rows)
		a[2*k], a[2*k+1] = cos*math.Sqrt(2./columns), sin*math.Sqrt(2./columns)
	}
	return a
}

func (s *solver) step() {
	s.Made++
	a := row(rand.New(rand.NewPCG(s.Seed, s.Made)).IntN(rows))
	residual := 0.0
	for j, v := range a {
		residual += v * (1 - s.X[j])
	}
	for j, v := range a {
		s.X[j] += residual * v
	}
}

func (s *solver) squaredDistance() (sum float64) {
	for _, x := range s.X {
		sum += (x - 1) * (x - 1)
	}
	return sum
}

// answer fills in the reply to a request.
func (s *solver) answer(request map[string]any, reply map[string]any) error {
	switch request["request"] {
	case "hello":
		reply["protocol"], reply["name"], reply["version"], reply["save"] = 1, "Kaczmarz in Go", "1.0", true
	case "start":
		*s = solver{Seed: uint64(request["seed"].(float64))}
	case "step":
		for range int(request["n"].(float64)) {
			s.step()
		}
	case "value":
		reply["values"] = map[string]float64{"squared-distance": s.squaredDistance()}
	case "save":
		state, err := json.Marshal(s)
		if err != nil {
			return err
		}
		return os.WriteFile(request["file"].(string), state, 0o600)
	case "restore":
		state, err := os.ReadFile(request["file"].(string))
		if err != nil {
			return err
		}
		return json.Unmarshal(state, s)
	case "stop":
		os.Exit(0)
	default:
		return fmt.Errorf("no such request: %v", request["request"])
	}
	return nil
}

func main() {
	var s solver
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var request map[string]any
		if err := json.Unmarshal(in.Bytes(), &request); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		reply := map[string]any{"id": request["id"]}
		if err := s.answer(request, reply); err != nil {
			reply["error"] = err.Error()
		}
		text, err := json.Marshal(reply)
		if err != nil {
			text, _ = json.Marshal(map[string]any{"id": request["id"], "error": err.Error()})
		}
		fmt.Println(string(text))
	}
}
