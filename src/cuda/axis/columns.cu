// Sums of columns of doubles and floats.
#include "cuda/axis/columns_kernel.cuh"
#include "cuda/exact/double_terms.cuh"
#include "cuda/exact/float_terms.cuh"

namespace foldline::cuda {

namespace {

// To keep enough loads in flight, 512 threads of a multiprocessor read 64 bytes two or four times ahead or
// 128 bytes each, or 768 threads 64 bytes.

template <class T, class Term, int MaxColumns>
void launch_without_read_ahead(const AxisTask& task, cudaStream_t stream) {
  if (task.read == ColumnRead::many_rows)
    launch_columns_kernel<T, Term, many_column_loads, 0, 2, MaxColumns>(task, stream);
  else
    launch_columns_kernel<T, Term, column_loads, 0, 3, MaxColumns>(task, stream);
}

template <class T, class Term>
void launch_term(const AxisTask& task, cudaStream_t stream) {
  if (task.vec16s * static_cast<int>(16 / sizeof(T)) > max_columns)
    return launch_without_read_ahead<T, Term, max_columns_if_wide>(task, stream);
  if (task.read == ColumnRead::four_ahead &&
      launch_columns_kernel<T, Term, column_loads, 4, 2, max_columns>(task, stream))
    return;
  if ((task.read == ColumnRead::four_ahead || task.read == ColumnRead::two_ahead) &&
      launch_columns_kernel<T, Term, column_loads, 2, 2, max_columns>(task, stream))
    return;
  launch_without_read_ahead<T, Term, max_columns>(task, stream);
}

}  // namespace

void launch_columns(const AxisTask& task, cudaStream_t stream) {
  const bool magnitudes = task.operation == Operation::abs_sum;
  if (task.type == ElementType::float64)
    (magnitudes ? launch_term<double, DoubleTerms<FirstMagnitude>>
                : launch_term<double, DoubleTerms<First>>)(task, stream);
  else
    (magnitudes ? launch_term<float, FloatTerms<FirstMagnitude>>
                : launch_term<float, FloatTerms<First>>)(task, stream);
}

}  // namespace foldline::cuda
