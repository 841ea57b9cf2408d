package simd

//go:generate go run -C ../../gen . -part tile -out ../internal/simd/tile_amd64.s -stubs ../internal/simd/tile_stubs_amd64.go -tables ../internal/simd/tile_table_amd64.go -pkg simd
//go:generate go run -C ../../gen . -part vector -out ../internal/simd/vector_amd64.s -stubs ../internal/simd/vector_stubs_amd64.go -pkg simd
//go:generate go run -C ../../gen . -part pack -out ../internal/simd/pack_amd64.s -stubs ../internal/simd/pack_stubs_amd64.go -pkg simd
//go:generate go run -C ../../gen . -part random -out ../internal/simd/random_amd64.s -stubs ../internal/simd/random_stubs_amd64.go -pkg simd
//go:generate go run -C ../../gen . -part bricks -out ../internal/simd/bricks_amd64.s -stubs ../internal/simd/bricks_stubs_amd64.go -pkg simd
//go:generate go run -C ../../gen . -part distances -out ../internal/simd/distances_amd64.s -stubs ../internal/simd/distances_stubs_amd64.go -pkg simd
//go:generate go run -C ../../gen . -part integers -out ../internal/simd/integers_amd64.s -stubs ../internal/simd/integers_stubs_amd64.go -pkg simd
//go:generate go run -C ../../gen . -neon ../internal/simd
