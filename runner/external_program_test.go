package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// asProgram as the first argument makes the test's binary a program for external methods to run: the
// environment, which is not theirs, cannot tell.
const asProgram = "as-external-program"

func init() {
	if len(os.Args) < 3 || os.Args[1] != asProgram {
		return
	}
	if err := act(os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	os.Exit(0)
}

// A report is what a program saw.
type report struct {
	Dir   string
	Args  []string
	Env   []string
	Files []string
}

// act plays one program.
func act(part string, args []string) error {
	switch part {
	case "learn": // train model: keeps the mean of the targets of a csv file
		return learn(args[0], args[1])
	case "serve": // mode file
		return serve(args[0], args[1])
	case "print": // mode points
		n, err := strconv.Atoi(args[1])
		return errors.Join(err, printPoints(args[0], n))
	case "iterate": // iterations predictions rows
		n, err := strconv.Atoi(args[2])
		return errors.Join(err, trainFor(args[0], args[1], n))
	case "predict": // test model predictions: predicts it
		return predict(args[0], args[1], args[2])
	case "write": // predictions line lines: predicts the same line so many times
		n, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		return os.WriteFile(args[0], []byte(strings.Repeat(args[1], n)), 0o600)
	case "folder": // predictions: makes a folder of that name
		return os.Mkdir(args[0], 0o700)
	case "spy": // file …: reports what it sees
		return spy(args[0], args[1:])
	case "say": // text: version, say
		fmt.Println("\n" + args[0] + "\nand more")
	case "tell": // text
		fmt.Print(args[0])
	case "fail": // lines: ends badly after so many lines
		fmt.Println("this is on stdout")
		n, err := strconv.Atoi(args[0])
		if err != nil {
			return err
		}
		for i := range n {
			fmt.Fprintf(os.Stderr, "line %d \x1b[31mred\x1b[0m\n", i+1)
		}
		return errors.New("the last words")
	case "grumble":
		fmt.Println("only on stdout")
		os.Exit(4)
	case "hang": // file: hangs, and so does a child of its own; not the second time
		if _, err := os.Stat(args[0]); err == nil {
			return nil
		}
		return errors.Join(child(args[0], true), sleep())
	case "leave": // file: ends, but not its child
		return child(args[0], false)
	case "hold": // file: ends, but not its child, which holds the output
		return child(args[0], true)
	case "beat": // file: adds to the file as long as it lives
		for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(5 * time.Millisecond) {
			f, err := os.OpenFile(args[0], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				return err
			}
			_, err = f.WriteString(".")
			if err := errors.Join(err, f.Close()); err != nil {
				return err
			}
		}
		return os.WriteFile(args[0], []byte(over), 0o600)
	default:
		return fmt.Errorf("no part %q", part)
	}
	return nil
}

// over is what the program that beats writes when nobody has killed it.
const over = "over"

// sleep outlives every test.
func sleep() error {
	time.Sleep(time.Minute)
	return errors.New("nobody stopped the program")
}

// child starts a program that beats, and returns when it does.
func child(file string, holds bool) error {
	cmd := exec.Command(os.Args[0], asProgram, "beat", file)
	if holds {
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	for {
		if _, err := os.Stat(file); err == nil {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
}

func learn(train, model string) error {
	b, err := os.ReadFile(train)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	sum := 0.0
	for _, line := range lines[1:] {
		first, _, _ := strings.Cut(line, ",")
		y, err := strconv.ParseFloat(first, 64)
		if err != nil {
			return err
		}
		sum += y
	}
	return os.WriteFile(model, []byte(exact(sum/float64(len(lines)-1))+"\n"), 0o600)
}

func predict(test, model, predictions string) error {
	b, err := os.ReadFile(test)
	if err != nil {
		return err
	}
	mean, err := os.ReadFile(model)
	if err != nil {
		return err
	}
	n := strings.Count(string(b), "\n") - 1
	return os.WriteFile(predictions, []byte(strings.Repeat(string(mean), n)), 0o600)
}

func spy(file string, args []string) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		return err
	}
	r := report{Dir: filepath.Base(dir), Args: args, Env: os.Environ()}
	for _, e := range entries {
		r.Files = append(r.Files, e.Name())
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}
