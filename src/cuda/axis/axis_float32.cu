// Reductions along an axis of floats. Levels as in reduce_float32.cu.
#include "cuda/axis/axis_kernel.cuh"

namespace foldline::cuda {

void launch_axis_float32(const AxisTask& task, cudaStream_t stream) {
  launch_axis_operation<float, axis_batch(ElementType::float32, true), 2, 2, true>(task, task.operation,
                                                                                   stream);
}

}  // namespace foldline::cuda
