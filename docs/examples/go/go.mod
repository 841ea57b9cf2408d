module example.org/kaczmarz

go 1.22
