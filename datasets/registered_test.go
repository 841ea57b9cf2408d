package datasets_test

import _ "repro/datasets/generators" // the tests of this package name some
