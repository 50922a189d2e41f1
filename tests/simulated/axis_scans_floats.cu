// The kernels of scans of floating-point numbers along an axis.
#include "kernel_words.hpp"

#include "cuda/scan/axis_scan_floats.cu"
