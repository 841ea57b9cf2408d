module example.org/smoothing

go 1.26

require repro v0.0.0

replace repro => ../../..
