// Reductions of floats along an axis by sums in doubles.
#include "cuda/axis/direct_launch.cuh"

namespace foldline::cuda {

void launch_direct_float32(const AxisTask& task, cudaStream_t stream) { launch_direct<float>(task, stream); }

}  // namespace foldline::cuda
