// The host's way of adding 192 bits: the simulator does not know the PTX of the device's.
#pragma once
#pragma GCC system_header  // include_next is an extension of compilers

#include "arithmetic/host_device.hpp"

#pragma push_macro("__CUDA_ARCH__")
#undef __CUDA_ARCH__
#include_next "arithmetic/int192.hpp"
#pragma pop_macro("__CUDA_ARCH__")
