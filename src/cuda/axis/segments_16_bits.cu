// Reductions of segments of 16-bit floating-point numbers by sums in doubles.
#include "cuda/axis/segments_kernel.cuh"

namespace foldline::cuda {

void launch_segments_16_bits(const SegmentsTask& task, cudaStream_t stream) {
  if (task.axis.type == ElementType::half)
    launch_segments_of_type<Half>(task, stream);
  else
    launch_segments_of_type<Bfloat16>(task, stream);
}

}  // namespace foldline::cuda
