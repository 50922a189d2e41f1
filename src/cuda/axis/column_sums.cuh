// The sums of one thread's neighbouring columns: one count per column and level, in one window for all.
#pragma once

#include <cstdint>

#include "cuda/axis/axis_task.hpp"
#include "cuda/device/block.cuh"
#include "cuda/device/policy_reader.cuh"
#include "cuda/device/sources.cuh"
#include "cuda/exact/windowed_sum.cuh"

namespace foldline::cuda {

/// The rows of a matrix as a thread reads them: 16 bytes (neighbouring columns) of `Loads` rows at a time. A
/// tile is what the block's threads read at a time.
template <class T, int Loads>
struct ColumnRows {
  static constexpr int columns = 16 / sizeof(T), loads = Loads, size = Loads * columns;
  using BatchType = Batch<T, size, false>;  // x[i] belongs to column i % columns
  const std::byte* first;                   // the thread's columns in its first row
  std::int64_t stride;                      // bytes between the thread's rows
  int row, lanes;                           // the thread's first row, and the number of rows between its rows
  int length;                               // number of rows of the matrix
  PolicyReader memory;

  /// The first row of a tile.
  __device__ __forceinline__ int first_row(int tile) const { return tile * Loads * lanes; }
  /// The address of the thread's first row of a tile, and whether its u-th row there exists.
  __device__ __forceinline__ const std::byte* address(int tile) const {
    return first + std::int64_t{tile} * Loads * stride;
  }
  __device__ __forceinline__ bool has(int tile, int u) const {
    return first_row(tile) + u * lanes + row < length;
  }
  /// Prefetches a tile to the L2 cache.
  __device__ __forceinline__ void prefetch(int tile) const {
#pragma unroll
    for (int u = 0; u < Loads; ++u)
      if (has(tile, u)) asm volatile("prefetch.global.L2 [%0];" ::"l"(address(tile) + u * stride));
  }
  /// The batch of a full tile.
  __device__ __forceinline__ BatchType batch(int tile) const {
    const std::byte* const at = address(tile);
    uint4 loaded[Loads];
#pragma unroll
    for (int u = 0; u < Loads; ++u) loaded[u] = memory.load(at + u * stride);
    return taken(loaded);
  }
  /// The batch of any tile. Missing elements are neutral.
  __device__ __forceinline__ BatchType masked_batch(int tile) const {
    const std::byte* const at = address(tile);
    uint4 loaded[Loads];
#pragma unroll
    for (int u = 0; u < Loads; ++u) {
      T nothing[columns];
#pragma unroll
      for (T& x : nothing) x = neutral<T>();
      std::memcpy(&loaded[u], nothing, sizeof nothing);
      if (has(tile, u)) loaded[u] = memory.load(at + u * stride);
    }
    return taken(loaded);
  }

 private:
  static __device__ __forceinline__ BatchType taken(const uint4 (&loaded)[Loads]) {
    BatchType taken;
    std::memcpy(taken.x, loaded, sizeof loaded);
    return taken;
  }
};

/// A thread's batches of full tiles, `Tiles` of which are in flight to shared memory while one is added: see
/// read_ahead.cuh. With `Tiles` = 0 each is loaded when it is needed.
template <class Rows, int Tiles>
class RowsAhead {
  static constexpr int stage = axis_threads * Rows::loads;  // in vec16

 public:
  /// Bytes of a block's dynamic shared memory.
  static constexpr int bytes = Tiles * stage * 16;

  /// Requests the first of the tiles `tile`, `tile + step`, ...
  __device__ __forceinline__ RowsAhead(const Rows& rows, int tile, int step, int full_tiles)
      : rows_(rows), step_(step), full_tiles_(full_tiles) {
    if constexpr (Tiles == 0) {
      if (tile < full_tiles_) rows.prefetch(tile);
    } else {
      slot_ = reinterpret_cast<uint4*>(dynamic_memory()) + threadIdx.x;
#pragma unroll
      for (int i = 0; i < Tiles; ++i) request(tile + i * step, i);
    }
  }

  /// The batch of the next tile, which must be `tile`.
  __device__ __forceinline__ typename Rows::BatchType take(int tile) {
    if constexpr (Tiles == 0) {
      return rows_.batch(tile);
    } else {
      wait_for_groups<Tiles - 1>();
      typename Rows::BatchType taken;
#pragma unroll
      for (int u = 0; u < Rows::loads; ++u) {
        const uint4 vec16 = slot_[stage_ * stage + u * axis_threads];
        std::memcpy(taken.x + u * Rows::columns, &vec16, sizeof vec16);
      }
      request(tile + Tiles * step_, stage_);
      stage_ = stage_ == Tiles - 1 ? 0 : stage_ + 1;
      return taken;
    }
  }

 private:
  __device__ __forceinline__ void request(int tile, int to) const {
    if (tile < full_tiles_)
#pragma unroll
      for (int u = 0; u < Rows::loads; ++u)
        rows_.memory.copy_to_shared(slot_ + to * stage + u * axis_threads,
                                    rows_.address(tile) + u * rows_.stride);
    commit_group();
  }

  Rows rows_;
  int step_, full_tiles_, stage_ = 0;
  uint4* slot_ = nullptr;
};

/// Rows that a thread samples before it chooses a window. Floats need two, since their window has no room
/// above the largest sample.
template <class T>
inline constexpr int column_samples = std::is_same_v<T, double> ? 1 : 2;

/// If the samples of some column are all zero, so many further rows between the samples are read. (In 32
/// columns where nine of ten elements are zero, nearly every second warp has such a column.)
inline constexpr int column_samples_between = 4;

/// Sampled rows of a thread's columns.
template <class T, int Rows>
class ColumnSample {
 public:
  /// Loads the rows row_of(i); `key` waits for them. Volatile, so that later loads are not issued before.
  template <class RowOf>
  __device__ __forceinline__ ColumnSample(const std::byte* columns, std::int64_t row_stride,
                                          const RowOf& row_of) {
#pragma unroll
    for (int i = 0; i < Rows; ++i)
      asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(loaded_[i].x), "=r"(loaded_[i].y), "=r"(loaded_[i].z), "=r"(loaded_[i].w)
                   : "l"(columns + row_of(i) * row_stride));
  }
  /// The largest key of the finite elements.
  template <class Term>
  __device__ __forceinline__ unsigned key() const {
    T x[Rows * 16 / sizeof(T)];
    std::memcpy(x, loaded_, sizeof x);
    unsigned largest = 0;
#pragma unroll
    for (const T t : x)
      if (Term::is_finite(t, t)) largest = max(largest, Term::key(t, t));
    // Other elements may be larger. A window of doubles has room for that; floats need all of theirs.
    constexpr unsigned scratch = std::is_same_v<T, double> ? 3u << 20 : 0;
    return largest == 0 ? 0 : largest + scratch;
  }

 private:
  uint4 loaded_[Rows];
};

/// The sums of a thread's columns; see WindowedSum.
template <class Term, int Columns>
struct ColumnSums {
  static constexpr int levels = Term::levels;

  Term term;
  std::int64_t count[Columns][levels] = {};

  __device__ __forceinline__ void open_window_above(unsigned largest) {
    term.top = Term::window_top_above(largest);
  }

  /// True if all elements of a batch fit. Zeros are common and always fit although their key is too small;
  /// other elements below the lower limit are tested one by one.
  template <class BatchType>
  __device__ __forceinline__ bool holds(const BatchType& batch) const {
    unsigned smallest = ~0u, largest = 0;
#pragma unroll
    for (int i = 0; i < BatchType::size; ++i) {
      smallest = min(smallest, Term::key(batch.x[i], batch.x[i]));
      largest = max(largest, Term::key(batch.x[i], batch.x[i]));
    }
    if (largest >= term.end()) return false;
    if (smallest >= term.lowest()) return true;
    bool all_fit = true;
#pragma unroll
    for (int i = 0; i < BatchType::size; ++i)
      all_fit &= Term::key(batch.x[i], batch.x[i]) >= term.lowest() || batch.x[i] == 0;
    return all_fit || count_misfits(batch) == 0;
  }
  /// The number of elements of a batch that do not fit.
  template <class BatchType>
  __device__ __forceinline__ int count_misfits(const BatchType& batch) const {
    int left = 0;
#pragma unroll
    for (int i = 0; i < BatchType::size; ++i) left += !term.holds(batch.x[i], batch.x[i]);
    return left;
  }

  /// Bins for at most Term::max_batch fitting elements per column.
  struct Bins {
    double bin[Columns][levels];
    explicit __device__ __forceinline__ Bins(const ColumnSums& sums) {
#pragma unroll
      for (int c = 0; c < Columns; ++c)
#pragma unroll
        for (int k = 0; k < levels; ++k) bin[c][k] = sums.anchor(k);
    }
  };
  template <class BatchType>
  __device__ __forceinline__ void deposit(const BatchType& batch, Bins& bins) const {
#pragma unroll
    for (int i = 0; i < BatchType::size; ++i) term.deposit(batch.x[i], batch.x[i], bins.bin[i % Columns]);
  }
  __device__ __forceinline__ void commit(const Bins& bins) {
#pragma unroll
    for (int c = 0; c < Columns; ++c)
#pragma unroll
      for (int k = 0; k < levels; ++k)
        count[c][k] += __double_as_longlong(bins.bin[c][k]) - __double_as_longlong(anchor(k));
  }

  /// Adds a batch and spills what does not fit. If that is most of it, the window is moved first, provided
  /// that leaves less.
  template <class BatchType, class SpillOf>
  __device__ void add_or_spill(const BatchType& batch, const SpillOf& spill_of) {
    const int left = count_misfits(batch);
    int zeros = 0;  // zeros fit any window
#pragma unroll
    for (int i = 0; i < BatchType::size; ++i) zeros += batch.x[i] == 0;
    if (2 * left > BatchType::size - zeros) {
      unsigned largest = 0;
#pragma unroll
      for (int i = 0; i < BatchType::size; ++i)
        if (Term::is_finite(batch.x[i], batch.x[i]))
          largest = max(largest, Term::key(batch.x[i], batch.x[i]));
      ColumnSums other;
      other.open_window_above(largest);
      if (other.term.top != term.top && other.count_misfits(batch) < left) {
        flush(spill_of);
        term = other.term;
      }
    }
    Bins bins(*this);
#pragma unroll
    for (int i = 0; i < BatchType::size; ++i) {
      const bool is_in = term.holds(batch.x[i], batch.x[i]);
      const auto fitting = is_in ? batch.x[i] : neutral<std::remove_cvref_t<decltype(batch.x[i])>>();
      term.deposit(fitting, fitting, bins.bin[i % Columns]);
      if (!is_in) Term::template spill<false>(batch.x[i], batch.x[i], spill_of(i % Columns));
    }
    commit(bins);
  }

  /// Moves the counts to the digits, before the window is changed.
  template <class SpillOf>
  __device__ void flush(const SpillOf& spill_of) {
#pragma unroll
    for (int c = 0; c < Columns; ++c)
#pragma unroll
      for (int k = 0; k < levels; ++k) {
        if (count[c][k] != 0) spill_of(c).add(count[c][k], Term::unit(term.top, k));
        count[c][k] = 0;
      }
  }

 private:
  __device__ __forceinline__ double anchor(int level) const { return anchor_at(Term::unit(term.top, level)); }
};

}  // namespace foldline::cuda
