# Judges a claim about curves by the program repro (REPRO_PROGRAM, or repro in PATH). It needs no package. docs/python.md has the keys.
# No test of repro runs this file: it was written without a Julia at hand.
#
#   include("repro.jl")
#   runs = [[5 / t + seed / t^2 for t in 1:100] for seed in 1:10]
#   v = judge("rate", Dict("sgd" => runs); x = 1:100, number = -1, at_most = true)
#   @assert v.verdict == "reproduced" v.sentence
#
# curves are the runs of each method. The answer has sentence, verdict, reason, measured, low and high (nothing where there is none), and
# text, all that repro answered.

const OF_REQUEST = [:name, :metric, :better, :signed, :deterministic, :abscissa, :accepted, :report, :figure]

json(v::Nothing) = "null"
json(v::Bool) = string(v)
json(v::Integer) = string(v)
json(v::Real) = isfinite(v) ? string(Float64(v)) : "null"
json(v::Union{AbstractString,Symbol}) = "\"" * replace(string(v), "\\" => "\\\\", "\"" => "\\\"", "\n" => "\\n") * "\""
json(v::AbstractDict) = "{" * join((json(string(k)) * ":" * json(u) for (k, u) in v), ",") * "}"
json(v) = "[" * join(map(json, v), ",") * "]"

function judge(kind, curves; x = nothing, keys...)
    request = Dict{Any,Any}("schema" => 1, "curves" => curves)
    x === nothing || (request["x"] = x)
    claim = Dict{Any,Any}("kind" => kind)
    for (key, v) in keys
        (key in OF_REQUEST ? request : claim)[key] = v
    end
    request["claim"] = claim
    program = get(ENV, "REPRO_PROGRAM", "repro")
    text = read(pipeline(ignorestatus(`$program call`); stdin = IOBuffer(json(request))), String)
    wrong = match(r"\"error\": \{\s*\"key\": \"([^\"]*)\",\s*\"message\": \"((?:[^\"\\]|\\.)*)\"", text)
    wrong === nothing || error(wrong[1], ": ", wrong[2])
    field(key) = (m = match(Regex("\n +\"$key\": (?:\"((?:[^\"\\\\]|\\\\.)*)\"|([-0-9.eE+]+))"), text); m === nothing ? nothing : something(m[1], m[2]))
    number(key) = (v = field(key); v === nothing ? nothing : parse(Float64, v))
    (; sentence = field("sentence"), verdict = field("verdict"), reason = field("reason"),
        measured = number("measured"), low = number("low"), high = number("high"), text)
end
