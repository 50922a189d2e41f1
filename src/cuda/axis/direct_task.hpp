// How a reduction along an axis is done by sums in doubles, which most results need no more than; those of
// which they are not certain are done again by the general kernel (axis_kernel.cuh).
#pragma once

#include <cstddef>
#include <cstdint>

namespace foldline::cuda {

inline constexpr int direct_threads = 256;
/// Rows that a warp of the kernel for short ones takes at a time, and their most bytes.
inline constexpr int short_row_warps = 4;
inline constexpr std::int64_t longest_short_row = 256;
/// The longest vectors whose plain sums tell most results, and of columns of many threads.
inline constexpr int log_plain_terms = 5, most_plain_terms = 1 << log_plain_terms;
inline constexpr int log_plain_rows = 7, most_plain_rows = 1 << log_plain_rows;
/// The longest interleaved vectors that a thread holds in registers.
inline constexpr int max_few_rows = 16;
/// Columns of a thread whose columns are apart, and how many blocks of a multiprocessor take columns at once.
inline constexpr int scattered_columns = 2, scattered_blocks = 3, interleaved_blocks = 2;
/// The most threads across of rows that are seen as one, so that a block has all of their columns.
inline constexpr std::int64_t most_places_of_fold = 32;
/// The longest piece of memory of which a block copies some to shared memory, and the most that it copies.
inline constexpr std::int64_t longest_piece = 8192, bytes_of_pieces = 20 << 10;
/// The longest vector of which n (n - ddof) is a double for certain.
inline constexpr std::int64_t longest_squared_count = std::int64_t{1} << 26;
/// Memory for the sums of blocks that share vectors, and the most that those of a vector take.
inline constexpr std::int64_t bytes_of_sums = 48;
inline constexpr std::size_t direct_part_bytes = std::size_t{4} << 20;

/// The first of `unit` neighbouring results each; zero counts before and after a launch. If there are more
/// than it holds, all results are done again.
struct alignas(16) RetryList {
  static constexpr int capacity = 1 << 16;
  unsigned count, finished_blocks;
  std::int64_t first[capacity];
};

enum class DirectLayout : unsigned char {
  none,
  short_rows,  // contiguous vectors one after another: a thread has one
  rows,        // contiguous vectors: several threads have one
  rows_apart,  // the same of elements that are apart, of at most a warp each
  columns,     // neighbouring vectors are interleaved: a thread has some of them
  few_rows,    // the same of few elements
  scattered,   // the same of elements and vectors that are apart
  pieces       // vectors in short pieces of memory
};

/// Pieces of memory that are equally distant, with a vector or interleaved ones in each.
struct PiecesPlan {
  int axis;      // along which the pieces follow each other
  int of_block;  // at most
  int bytes;     // from a piece's first element to the end of its last
  int columns;   // vectors of a piece
  int column_stride;
  int turn_of_piece;  // elements of a vector by which threads of the next piece begin later
};

struct DirectPlan {
  DirectLayout layout;
  // Threads that share a vector; of columns, threads beside each other.
  int log_lanes;
  int vectors_in_turn;  // that a group of threads or a thread takes
  int splits;           // blocks that share a vector
  // Of columns: so many rows of a narrow matrix are seen as one, of which there are `rows`; less than one
  // more is left.
  int fold, rows;
  std::int64_t groups;  // blocks that do not share columns; of pieces, for those along their axis
  // Between which bytes, counted from the first element, the array's elements lie.
  std::int64_t lowest_byte, end_byte;
  PiecesPlan pieces;
  bool is_plain;    // a thread has all of its vectors, and plain sums of them
  unsigned flip;    // of integers: see Recoding
  int unit;         // results of an entry of the list, a power of two
  bool is_certain;  // of all results: nothing comes on the list
  // See Additions and BoundedTask.
  std::uint64_t nan;  // as a result's bits
  double count, errors, inverse_count, degrees, squared_count, inverse_squared_count;
  int log2_errors;
  int retry_blocks;  // of the general kernel's launch for what is on it
  RetryList* retries;
  std::byte* parts;
};

}  // namespace foldline::cuda
