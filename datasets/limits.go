//go:build !js

package datasets

import "github.com/KimMachineGun/automemlimit/memlimit"

// memoryLimits ask for the memory of the machine and for that of the container.
var memoryLimits = []func() (uint64, error){memlimit.FromSystem, memlimit.FromCgroup}
