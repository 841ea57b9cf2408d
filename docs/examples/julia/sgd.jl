# A program in Julia that repro asks for its steps: SGD on |x|^2/2 with noisy gradients and the step size 1/t. It needs no package.
# No test of repro runs this file: it was written without a Julia at hand.
# To serve your own method, change the part above the line and keep the part below it.

using Random, Serialization

mutable struct SGD
    random::Xoshiro
    x::Vector{Float64}
    t::Int
end

start(seed) = SGD(Xoshiro(seed), ones(10), 0)

function step!(s)
    s.t += 1
    gradient = s.x + randn(s.random, 10)
    s.x -= gradient / s.t
end

value(s) = ["gap" => sum(abs2, s.x) / 2]

# ----------------------------------------------------------------------------------------------------------------------

# field returns the text of a key of a line of JSON.
function field(line, key)
    m = match(Regex("\"$key\":(?:\"([^\"]*)\"|([^,}]*))"), line)
    m === nothing ? "" : something(m[1], m[2])
end

function main()
    s = nothing
    for line in eachline(stdin)
        request, more = field(line, "request"), ""
        if request == "stop"
            return
        elseif request == "hello"
            more = ",\"protocol\":1,\"name\":\"SGD in Julia\",\"version\":\"1.0\",\"save\":true"
        elseif request == "start"
            s = start(parse(Int, field(line, "seed")))
        elseif request == "step"
            for _ in 1:parse(Int, field(line, "n"))
                step!(s)
            end
        elseif request == "value"
            numbers = ["\"$key\":" * (isfinite(v) ? string(v) : "null") for (key, v) in value(s)]
            more = ",\"values\":{" * join(numbers, ",") * "}"
        elseif request == "save"
            serialize(field(line, "file"), s)
        elseif request == "restore"
            s = deserialize(field(line, "file"))
        else
            more = ",\"error\":\"no such request\""
        end
        println("{\"id\":", field(line, "id"), more, "}")
        flush(stdout)
    end
end

main()
