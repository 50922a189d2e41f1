// CUDA's words for functions and variables, where they mean nothing: in files without kernels. Files with
// kernels have had them defined already.
#pragma once

#ifndef __host__
#define __host__
#define __device__
#define __global__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#endif
