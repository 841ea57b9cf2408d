package experiments

import _ "repro/algos/methods" // registers the built-in methods, whose names a spec may give
