// This rung has no kernels where rungs are simulated: the call is the library's, on the CPU.
#include "quadrature/library.cu"
