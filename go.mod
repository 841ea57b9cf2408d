module repro

go 1.26.0

require (
	codeberg.org/go-fonts/dejavu v0.4.0 // a font with superscripts, Greek and a real minus sign
	codeberg.org/go-pdf/fpdf v0.11.1 // fixes the dates that the PDF writer of gonum.org/v1/plot would embed
	github.com/BurntSushi/toml v1.6.0 // TOML
	github.com/andybalholm/cascadia v1.3.5 // selectors of style sheets
	github.com/chromedp/cdproto v0.159.0 // tests only: see chromedp
	github.com/chromedp/chromedp v0.23.0 // tests only: opens pages in a browser
	github.com/go-gota/gota v0.12.0 // result tables as data frames
	github.com/guptarohit/asciigraph v0.10.0 // a curve on a terminal
	github.com/jedib0t/go-pretty/v6 v6.8.3 // tables on a terminal
	github.com/klauspost/compress v1.20.3 // zstd
	github.com/ledongthuc/pdf v0.0.0-20260907135840-6c8c28e0e8a0 // objects, streams and encodings of PDF
	github.com/rogpeppe/go-internal v1.16.0 // tests only: scripts of commands, each with its files
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // tests only: holds the JSON Schema against the catalog
	github.com/spf13/cobra v1.10.2 // commands, help, completion
	github.com/spf13/pflag v1.0.9 // flags of cobra
	github.com/stretchr/testify v1.12.1 // tests only: assertions
	github.com/therootcompany/xz v1.0.1 // xz, with a bound on the memory that a file states
	github.com/ulikunitz/xz v0.5.17 // tests only: writes xz
	go.yaml.in/yaml/v3 v3.0.5 // tests only: reads CITATION.cff and a workflow back
	golang.org/x/image v0.47.0 // outlines of letters, names of colours
	golang.org/x/sys v0.49.0 // processor features, locks of files
	golang.org/x/term v0.47.0 // whether a terminal is there, and its width
	gonum.org/v1/gonum v0.17.0 // eigenproblems of small tridiagonal matrices, Student's t, FFT
	gonum.org/v1/plot v0.17.0 // axes, canvases, SVG, PNG, PDF and PGF
)

require (
	github.com/expr-lang/expr v1.17.8 // the language of expressions in lessons: a parser and a type checker that knows columns
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/pbnjay/memory v0.0.0-20210728143218-7b4eea64cf58 // indirect
	github.com/yuin/goldmark v1.8.7 // Markdown: CommonMark with tables, a syntax tree with positions, no dependency
)

require (
	codeberg.org/go-fonts/liberation v0.5.0 // indirect
	codeberg.org/go-latex/latex v0.2.0 // indirect
	git.sr.ht/~sbinet/gg v0.7.0 // indirect
	github.com/KimMachineGun/automemlimit v1.0.1 // the memory limit of a container
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/mattn/go-runewidth v0.0.16 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	golang.org/x/net v0.62.0 // the text between the tags of pages, for indices
	golang.org/x/text v0.43.0 // indirect
)

require golang.org/x/tools v0.51.0 // indirect
