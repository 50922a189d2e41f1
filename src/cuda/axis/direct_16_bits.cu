// Reductions of 16-bit floating-point numbers along an axis by sums in doubles.
#include "cuda/axis/direct_launch.cuh"

namespace foldline::cuda {

void launch_direct_16_bits(const AxisTask& task, cudaStream_t stream) {
  if (task.type == ElementType::half)
    launch_direct<Half>(task, stream);
  else
    launch_direct<Bfloat16>(task, stream);
}

}  // namespace foldline::cuda
