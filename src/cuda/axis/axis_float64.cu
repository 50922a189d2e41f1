// Reductions along an axis of doubles. Levels as in reduce_float64.cu.
#include "cuda/axis/axis_kernel.cuh"

namespace foldline::cuda {

const std::size_t axis_totals_bytes = sizeof(AxisTotals);

void launch_axis_float64(const AxisTask& task, cudaStream_t stream) {
  launch_axis_operation<double, axis_batch(ElementType::float64, true), 2, 4, false>(task, task.operation,
                                                                                     stream);
}

}  // namespace foldline::cuda
