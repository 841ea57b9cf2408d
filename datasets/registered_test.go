package datasets_test

import ( // the tests of this package name some
	_ "repro/datasets/generators"
	_ "repro/datasets/sources"
)
