# A program in R that repro asks for its steps: SGD on |x|^2/2 with noisy gradients and the step size 1/t. It needs no package.
# To serve your own method, change the part above the line and keep the part below it.

start <- function(seed) {
  set.seed(seed)
  list(x = rep(1, 10), t = 0)
}

step <- function(s) {
  s$t <- s$t + 1
  gradient <- s$x + rnorm(10)
  s$x <- s$x - gradient / s$t
  s
}

value <- function(s) list(gap = sum(s$x^2) / 2)

# ----------------------------------------------------------------------------------------------------------------------

# field returns the text of a key of a line of JSON.
field <- function(line, key) {
  sub("\"$", "", sub("^\"", "", sub(paste0(".*\"", key, "\":(\"[^\"]*\"|[^,}]*).*"), "\\1", line)))
}

reply <- function(...) {
  cat("{\"id\":", id, ..., "}\n", sep = "")
  flush(stdout())
}

input <- file("stdin", "r")
s <- NULL
while (length(line <- readLines(input, n = 1)) > 0) {
  id <- field(line, "id")
  request <- field(line, "request")
  if (request == "stop") break
  if (request == "hello") {
    reply(",\"protocol\":1,\"name\":\"SGD in R\",\"version\":\"1.0\",\"save\":true")
    next
  }
  if (request == "value") {
    v <- value(s)
    numbers <- vapply(v, function(u) if (is.finite(u)) format(u, digits = 17) else "null", "")
    reply(",\"values\":{", paste0("\"", names(v), "\":", numbers, collapse = ","), "}")
    next
  }
  if (request == "start") {
    s <- start(as.integer(field(line, "seed")))
  } else if (request == "step") {
    for (i in seq_len(as.integer(field(line, "n")))) s <- step(s)
  } else if (request == "save") {
    saveRDS(list(s, .Random.seed), field(line, "file"))
  } else if (request == "restore") {
    saved <- readRDS(field(line, "file"))
    s <- saved[[1]]
    .Random.seed <- saved[[2]]
  } else {
    reply(",\"error\":\"no such request\"")
    next
  }
  reply()
}
