# Judges a claim about curves by the program repro (REPRO_PROGRAM, or repro in PATH). It needs the package jsonlite. docs/python.md has the keys.
#
#   source("repro.R")
#   runs <- lapply(1:10, function(seed) 5 / (1:100) + seed / (1:100)^2)
#   v <- judge("rate", list(sgd = runs), x = 1:100, number = -1, at_most = TRUE)
#   stopifnot(v$verdict$verdict == "reproduced")
#
# curves is a named list of methods, each a list of runs or a matrix with a row for each. The answer has sentence, verdict (with measured,
# low, high and reason) and, if asked by accepted = list(file = "tests/repro/sgd.json"), gate.

of_request <- c("name", "metric", "better", "signed", "deterministic", "abscissa", "accepted", "report", "figure")

judge <- function(kind, curves, x = NULL, ...) {
  given <- list(...)
  rows <- function(runs) {
    if (is.matrix(runs)) runs <- lapply(seq_len(nrow(runs)), function(i) runs[i, ])
    if (!is.list(runs)) runs <- list(runs)
    lapply(runs, function(run) I(ifelse(is.finite(run), run, NA)))
  }
  request <- c(list(schema = 1, curves = lapply(curves, rows)), given[names(given) %in% of_request])
  if (!is.null(x)) request$x <- I(x)
  request$claim <- c(list(kind = kind), given[!names(given) %in% of_request])
  asked <- jsonlite::toJSON(request, auto_unbox = TRUE, digits = NA, na = "null")
  answer <- suppressWarnings(system2(Sys.getenv("REPRO_PROGRAM", "repro"), "call", input = asked, stdout = TRUE))
  answer <- jsonlite::fromJSON(paste(answer, collapse = "\n"), simplifyVector = FALSE)
  if (!is.null(answer$error)) stop(answer$error$key, ": ", answer$error$message, call. = FALSE)
  answer
}
