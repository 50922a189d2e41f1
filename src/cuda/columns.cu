// Sums of columns of doubles and floats.
#include "cuda/columns_kernel.cuh"

namespace foldline::cuda {

namespace {

template <class T, class Rule>
void start(const AxisTask& task, cudaStream_t stream) {
  // 64 bytes of 768 threads of a multiprocessor, or 128 of 512, keep enough loads under way.
  if (task.loads == column_loads)
    start_columns<T, Rule, column_loads, 2>(task, stream);
  else
    start_columns<T, Rule, few_column_loads, 3>(task, stream);
}

}  // namespace

void launch_columns(const AxisTask& task, cudaStream_t stream) {
  const bool magnitudes = task.operation == Operation::abs_sum;
  if (task.type == ElementType::float64)
    (magnitudes ? start<double, DoubleTerms<FirstMagnitude>> : start<double, DoubleTerms<First>>)(task,
                                                                                                  stream);
  else
    (magnitudes ? start<float, FloatTerms<FirstMagnitude>> : start<float, FloatTerms<First>>)(task, stream);
}

}  // namespace foldline::cuda
