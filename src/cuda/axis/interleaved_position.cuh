// Which of the vectors that are interleaved a thread has, and a row's elements of them.
#pragma once

#include "cuda/axis/direct_sums.cuh"

namespace foldline::cuda {

/// Neighbouring columns of a thread: 16 bytes of a row, or 8 of narrow elements, whose sums would take too
/// many registers.
template <class T>
inline constexpr int thread_columns = sizeof(T) == 8 ? 2 : 4;

/// A row's elements of a thread's columns.
template <class T>
struct ColumnRow {
  using Element = T;
  static constexpr int size = thread_columns<T>;
  using Words = std::conditional_t<sizeof(T) * size == 16, uint4,
                                   std::conditional_t<sizeof(T) * size == 8, uint2, unsigned>>;
  Words words;

  static __device__ __forceinline__ ColumnRow of_all(BitsOf<T> element) {
    BitsOf<T> bits[size];
#pragma unroll
    for (BitsOf<T>& one : bits) one = element;
    ColumnRow row;
    std::memcpy(&row.words, bits, sizeof row.words);
    return row;
  }
  static __device__ __forceinline__ ColumnRow take(const std::byte* at) {
    return {__ldcs(reinterpret_cast<const Words*>(at))};
  }
  /// Of the columns that exist, at any address that is a multiple of an element's size.
  static __device__ __forceinline__ ColumnRow take_some(const std::byte* at, int exist) {
    BitsOf<T> bits[size];
#pragma unroll
    for (int c = 0; c < size; ++c)
      bits[c] = c < exist ? reinterpret_cast<const BitsOf<T>*>(at)[c] : neutral_bits<T>();
    ColumnRow row;
    std::memcpy(&row.words, bits, sizeof row.words);
    return row;
  }
  __device__ __forceinline__ BitsOf<T> of(int c) const {
    BitsOf<T> bits[size];
    std::memcpy(bits, &words, sizeof bits);
    return bits[c];
  }
  /// Of elements of at most 4 bytes.
  __device__ __forceinline__ void observe(KeyRange<T>& keys) const {
    unsigned word[sizeof words / 4];
    std::memcpy(word, &words, sizeof words);
#pragma unroll
    for (const unsigned one : word) keys.observe_word(one, 0);
  }
};

/// Where a thread is: its columns, and the rows it has. Threads stand side by side along a row, then along
/// that of the next of the outer vectors, so that short rows leave none without columns.
struct InterleavedPosition {
  static constexpr int resident_blocks = interleaved_blocks;
  template <class T>
  static constexpr int columns_of_thread = thread_columns<T>;

  std::int64_t first;    // index of its first result
  unsigned row, column;  // of that one
  int columns;           // that exist, at most thread_columns
  int across, down;      // its place in the block
  int rows_of_block;     // at a time

  __device__ InterleavedPosition(const AxisTask& task, unsigned width, unsigned group) {
    const int log_across = task.direct.log_lanes;
    across = static_cast<int>(threadIdx.x) & ((1 << log_across) - 1);
    down = static_cast<int>(threadIdx.x) >> log_across;
    rows_of_block = direct_threads >> log_across;
    // There are at most 2^30 results.
    const auto extent = static_cast<unsigned>(task.axes[task.axis_count - 1].extent) *
                        static_cast<unsigned>(task.direct.fold);
    const unsigned of_row = (extent - 1) / width + 1;
    const unsigned place = (group << log_across) + static_cast<unsigned>(across);
    row = task.axis_count == 1 ? 0 : place / of_row;
    column = (place - row * of_row) * width;
    first = std::int64_t{row} * extent + column;
    columns = first < task.results * task.direct.fold ? static_cast<int>(min(width, extent - column)) : 0;
  }
  /// The offset in bytes of its first result, or of that one's first element.
  __device__ __forceinline__ std::int64_t offset(const AxisTask& task, bool of_result) const {
    if (task.axis_count != 2) return offset_of(task, first, of_result);
    const auto stride = [&](int i) { return of_result ? task.axes[i].out_stride : task.axes[i].stride; };
    return row * stride(0) + column * stride(1);
  }
};

/// The same where neighbouring threads have neighbouring results, wherever their elements are.
struct ScatteredPosition {
  static constexpr int resident_blocks = scattered_blocks;
  template <class T>
  static constexpr int columns_of_thread = scattered_columns;

  std::int64_t first, end;
  int columns, across, down, rows_of_block, log_across;

  __device__ ScatteredPosition(const AxisTask& task, unsigned width, unsigned group) {
    log_across = task.direct.log_lanes;
    across = static_cast<int>(threadIdx.x) & ((1 << log_across) - 1);
    down = static_cast<int>(threadIdx.x) >> log_across;
    rows_of_block = direct_threads >> log_across;
    first = (std::int64_t{group} * width << log_across) + across;
    end = task.results;
    columns =
        first < end ? static_cast<int>(min(std::int64_t{width}, ((end - 1 - first) >> log_across) + 1)) : 0;
  }
  __device__ __forceinline__ std::int64_t result(int c) const {
    return first + (std::int64_t{c} << log_across);
  }
};

/// The columns of a thread that has all rows of them.
struct WholeColumns {
  InterleavedPosition position;
  const std::byte* x;  // of the first row
  bool at_once;        // a row's elements can be read

  __device__ __forceinline__ WholeColumns(const AxisTask& task, int columns, unsigned row_bytes)
      : position(task, static_cast<unsigned>(columns), blockIdx.x), x(task.x + position.offset(task, false)) {
    at_once =
        position.columns == columns &&
        (reinterpret_cast<std::uintptr_t>(x) | static_cast<std::uintptr_t>(task.stride)) % row_bytes == 0;
  }
  /// A bit for each column that exists.
  __device__ __forceinline__ unsigned all() const { return (1u << position.columns) - 1; }
};

}  // namespace foldline::cuda
