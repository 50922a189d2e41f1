// The rungs in order. A new rung needs a file, a declaration and a line here.
#include "column-sums/rungs.hpp"

namespace foldline::ladder::column_sums {

void column_by_column_on_the_host(Bench&);
void on_the_host(Bench&);
void one_thread_per_column(Bench&);
void sliced_rows_atomic(Bench&);
void sliced_rows_compare_and_swap(Bench&);
void regrouped_over_blocks(Bench&);
void regrouped_columns(Bench&);
void one_block_per_column(Bench&);
void many_blocks_per_column(Bench&);
void two_passes(Bench&);
void library(Bench&);
void cublas_gemv(Bench&);
void plain_read(Bench&);
void attempt(Bench&);

const std::vector<Rung>& rungs() {
  static const std::vector<Rung> list = {
      {{"column-by-column-on-the-host", Kind::rung, "column_by_column_on_the_host.cpp", false},
       column_by_column_on_the_host},
      {{"on-the-host", Kind::rung, "on_the_host.cpp", false}, on_the_host},
      {{"one-thread-per-column", Kind::rung, "one_thread_per_column.cu"}, one_thread_per_column},
      {{"sliced-rows-atomic", Kind::rung, "sliced_rows_atomic.cu"}, sliced_rows_atomic},
      {{"sliced-rows-compare-and-swap", Kind::rung, "sliced_rows_compare_and_swap.cu"},
       sliced_rows_compare_and_swap},
      {{"regrouped-over-blocks", Kind::rung, "regrouped_over_blocks.cu"}, regrouped_over_blocks},
      {{"regrouped-columns", Kind::rung, "regrouped_columns.cu"}, regrouped_columns},
      {{"one-block-per-column", Kind::rung, "one_block_per_column.cu"}, one_block_per_column},
      {{"many-blocks-per-column", Kind::rung, "many_blocks_per_column.cu"}, many_blocks_per_column},
      {{"two-passes", Kind::rung, "two_passes.cu"}, two_passes},
      {{"foldline-column-sums", Kind::library, "library.cpp"}, library},
      {{"cublas-gemv", Kind::reference, "cublas.cpp"}, cublas_gemv},
      {{"plain-read", Kind::roof, "plain_read.cpp"}, plain_read},
      {{"attempt", Kind::attempt, "attempt.cpp"}, attempt},
  };
  return list;
}

}  // namespace foldline::ladder::column_sums
