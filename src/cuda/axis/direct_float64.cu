// Reductions of doubles along an axis by sums in doubles.
#include "cuda/axis/direct_launch.cuh"

namespace foldline::cuda {

void launch_direct_float64(const AxisTask& task, cudaStream_t stream) { launch_direct<double>(task, stream); }

}  // namespace foldline::cuda
