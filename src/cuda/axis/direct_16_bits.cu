// Reductions of 16-bit floating-point numbers along an axis and of segments by sums in doubles.
#include "cuda/axis/direct_launch.cuh"
#include "cuda/axis/segments_kernel.cuh"

namespace foldline::cuda {

void launch_direct_16_bits(const AxisTask& task, cudaStream_t stream) {
  if (task.type == ElementType::half)
    launch_direct<Half>(task, stream);
  else
    launch_direct<Bfloat16>(task, stream);
}
void launch_segments_16_bits(const SegmentsTask& task, cudaStream_t stream) {
  if (task.axis.type == ElementType::half)
    launch_segments_of_type<Half>(task, stream);
  else
    launch_segments_of_type<Bfloat16>(task, stream);
}

}  // namespace foldline::cuda
