// Sums of columns of doubles and floats.
#include "cuda/axis/columns_kernel.cuh"
#include "cuda/exact/term_rules.cuh"

namespace foldline::cuda {

namespace {

// To keep enough loads in flight, 512 threads of a multiprocessor read 64 bytes two or four times ahead or
// 128 bytes each, or 768 threads 64 bytes.

template <class T, class Rule, int MostColumns>
void start_not_ahead(const AxisTask& task, cudaStream_t stream) {
  if (task.read == ColumnRead::many_rows)
    start_columns<T, Rule, many_column_loads, 0, 2, MostColumns>(task, stream);
  else
    start_columns<T, Rule, column_loads, 0, 3, MostColumns>(task, stream);
}

template <class T, class Rule>
void start(const AxisTask& task, cudaStream_t stream) {
  if (task.quads * static_cast<int>(16 / sizeof(T)) > most_columns)
    return start_not_ahead<T, Rule, most_columns_if_wide>(task, stream);
  if (task.read == ColumnRead::four_ahead &&
      start_columns<T, Rule, column_loads, 4, 2, most_columns>(task, stream))
    return;
  if ((task.read == ColumnRead::four_ahead || task.read == ColumnRead::two_ahead) &&
      start_columns<T, Rule, column_loads, 2, 2, most_columns>(task, stream))
    return;
  start_not_ahead<T, Rule, most_columns>(task, stream);
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
