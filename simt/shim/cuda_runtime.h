// CUDA's runtime, and in kernel files, which simt-cc compiles, the language of kernels.
#pragma once

#include "cuda_runtime_api.h"

#ifdef SIMT_KERNEL_FILE
// Before the words below: one of the standard library's headers names an attribute __noinline__.
// math.h and stdlib.h bring the functions of cmath for floats into the global namespace, where kernels look
// for them.
#include <math.h>
#include <stdlib.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <type_traits>

#include "simt_device/atomics.h"
#include "simt_device/builtins.h"
#include "simt_device/math.h"
#include "simt_device/memory.h"
#include "simt_device/warp.h"
#endif
