// Lets one source compile for the host and for GPU threads.
#pragma once

#ifdef __FAST_MATH__
#error "foldline's arithmetic is exact because the compiler keeps it as written: build without -ffast-math"
#endif

#if defined(__CUDACC__)
#define FOLDLINE_HOST_DEVICE __host__ __device__
#else
#define FOLDLINE_HOST_DEVICE
#endif

namespace foldline {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

}  // namespace foldline
