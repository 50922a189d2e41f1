// Reductions of segments of doubles by sums in doubles.
#include "cuda/axis/segments_kernel.cuh"

namespace foldline::cuda {

void launch_segments_float64(const SegmentsTask& task, cudaStream_t stream) {
  launch_segments_of_type<double>(task, stream);
}

}  // namespace foldline::cuda
