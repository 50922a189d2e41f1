// Sums of the columns of a matrix whose rows are spread over ranks.
#pragma once

#include "cuda/scan/scan_carry.hpp"
#include "foldline/types.hpp"
#include "nccl/mailbox.hpp"

namespace foldline::nccl {

/// Words of a column: those of a scan's carry, which hold any sum, and the number of rows.
inline constexpr int column_words = cuda::scan_rows + 1, rows_word = cuda::scan_rows;
/// Columns at a time, in 16 MiB.
inline constexpr std::int64_t most_columns = (std::int64_t{16} << 20) / (column_words * 8);

/// Some columns of a rank's rows.
struct ColumnsTask {
  const std::byte* data;  // of the first column
  std::int64_t row_step, column_step, rows;
  int columns;
  std::int64_t* words;  // of each column
  std::byte* out;
  ElementType type;
  const std::uint32_t* failure;  // in memory of the host
};

/// Sets the words to the exact sums of this rank's columns of elements of type T, a floating-point one.
template <class T>
void launch_add_columns(const ColumnsTask& task, cudaStream_t stream);
/// Rounds the sums that the words are.
void launch_round_columns(const ColumnsTask& task, cudaStream_t stream);
/// Rounds the sums of all ranks' words, and stores them on all. `most` is a limit for the number of blocks.
void launch_columns_over_peers(const ColumnsTask& task, PeerTask peers, int most, cudaStream_t stream);
void load_columns_kernels();

}  // namespace foldline::nccl
