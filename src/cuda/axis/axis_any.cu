// Reductions along an axis of elements of any type, aligned or not. Levels as in reduce_strided.cu.
#include "cuda/axis/axis_kernel.cuh"

namespace foldline::cuda {

void launch_axis_any(const AxisTask& task, cudaStream_t stream) {
  launch_axis_operation<AnyElement, axis_batch(ElementType::float64, false), 3, 3, false>(
      task, task.operation, stream);
}

}  // namespace foldline::cuda
