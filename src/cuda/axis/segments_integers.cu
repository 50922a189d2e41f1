// Reductions of segments of integers by exact sums, or by their extrema.
#include "cuda/axis/segments_kernel.cuh"

namespace foldline::cuda {

void launch_segments_integers(const SegmentsTask& task, cudaStream_t stream) {
  switch (size_of(task.axis.type)) {
    case 1:
      return launch_segments_of_type<std::int8_t>(task, stream);
    case 2:
      return launch_segments_of_type<std::int16_t>(task, stream);
    case 4:
      return launch_segments_of_type<std::int32_t>(task, stream);
    default:
      return launch_segments_of_type<std::int64_t>(task, stream);
  }
}

}  // namespace foldline::cuda
