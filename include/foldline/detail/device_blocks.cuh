/// @file
/// The kernels of cuda/generic.cuh. They combine in the order of blocks.hpp, so results are those of
/// generic.hpp where op computes the same on both processors.
///
///     a warp            folds or scans a block: its lanes call f for neighbours, for eight runs at a time,
///     and
///                       eight of them then go on with a run each
///     a thread block    goes through all blocks' sums, one after the other: two combinations each
///     all threads       put in front of each result of a scan what comes before its run
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "foldline/detail/block_scan.hpp"
#include "foldline/detail/blocks.hpp"
#include "foldline/detail/thread_block.hpp"

namespace foldline::detail::device {

inline constexpr int runs = static_cast<int>(runs_per_block);

/// Elements of a run that are in shared memory at a time: a sector of memory or more.
template <class T>
inline constexpr int row_length = sizeof(T) <= 8    ? 32
                                  : sizeof(T) <= 16 ? 16
                                  : sizeof(T) <= 32 ? 8
                                                    : 4;

/// Shared memory for values whose constructors need not run. Rows are an odd number of them apart, lest all
/// of a column were in the same bank.
template <class T>
struct Rows {
  alignas(T) std::byte bytes[runs * (row_length<T> + 1) * sizeof(T)];
  __device__ T& at(int run, int column) {
    return reinterpret_cast<T*>(bytes)[run * (row_length<T> + 1) + column];
  }
};

/// What is there of each block before all are put together: sums[r] is that of the runs 0 to r, but sums[7]
/// of run 7 alone.
template <class T>
struct Sums {
  T sum[runs];
};

template <class T, class Op>
__device__ T combined(const T& a, const T& b, Op& op) {
  return static_cast<T>(op(T(a), T(b)));
}

/// Which elements of a block are in its rows: `row_length` neighbours of each run, from `first` on.
template <class T>
class RowsOf {
 public:
  static constexpr int length = row_length<T>, per_lane = runs * length / lanes;

  __device__ explicit RowsOf(const Block& block)
      : begin_(block.first),
        run_length_(block.run_length()),
        longest_(block.end - block.begin_of(runs - 1)) {}

  __device__ bool has(std::int64_t first) const { return first < longest_; }
  /// Elements of a run that are left from `first` on.
  __device__ std::int64_t left(int run, std::int64_t first) const {
    return (run == runs - 1 ? longest_ : run_length_) - first;
  }
  /// Calls each(k, run, column, i) for this lane's elements, element i of all in its place.
  template <class Each>
  __device__ void for_each(std::int64_t first, const Each& each) const {
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const bool full = first + length <= run_length_;
#pragma unroll
    for (int k = 0; k < per_lane; ++k) {
      const int run = (lane + k * lanes) / length, column = (lane + k * lanes) % length;
      if (full || column < left(run, first))
        each(k, run, column, begin_ + run * run_length_ + first + column);
    }
  }

 private:
  std::int64_t begin_, run_length_, longest_;
};

/// Goes through the runs of a block side by side; by a warp. start(x) gives a run's sum after its first
/// element, step(sum, x) is called for the others in their order, and store(i, x) for what they leave in x.
/// The next rows are read while these are folded.
template <class T, class F, class Start, class Step, class Store>
__device__ void go_through(const Block& block, Rows<T>& rows, F& f, T& sum, const Start& start,
                           const Step& step, const Store& store) {
  const RowsOf<T> place(block);
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  T next[RowsOf<T>::per_lane];
  const auto read = [&](std::int64_t first) {
    place.for_each(first, [&](int k, int, int, std::int64_t i) { next[k] = static_cast<T>(f(i)); });
  };
  read(0);
  for (std::int64_t first = 0; place.has(first); first += place.length) {
    place.for_each(first, [&](int k, int run, int column, std::int64_t) { rows.at(run, column) = next[k]; });
    __syncwarp();
    read(first + place.length);
    if (lane < runs) {
      const std::int64_t left = place.left(lane, first);
      const int end = left < place.length ? static_cast<int>(left) : place.length;
      int column = 0;
      if (first == 0) sum = start(rows.at(lane, column++));
#pragma unroll 4
      for (; column < end; ++column) step(sum, rows.at(lane, column));
    }
    __syncwarp();
    place.for_each(first, [&](int, int run, int column, std::int64_t i) { store(i, rows.at(run, column)); });
    __syncwarp();
  }
}

/// Leaves the sums of the runs, one in each of the first lanes, in memory, the heads added up.
template <class T, class Op>
__device__ void leave(const T& sum, Rows<T>& rows, Op& op, Sums<T>& sums) {
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  if (lane < runs) rows.at(lane, 0) = sum;
  __syncwarp();
  if (lane == 0) {
    T head = rows.at(0, 0);
    sums.sum[0] = head;
    for (int run = 1; run + 1 < runs; ++run) {
      head = combined(head, rows.at(run, 0), op);
      sums.sum[run] = head;
    }
    sums.sum[runs - 1] = rows.at(runs - 1, 0);
  }
  __syncwarp();
}

template <class T, class Op, class F>
__global__ void __launch_bounds__(threads) fold_blocks(Blocks blocks, Op op, F f, Sums<T>* sums) {
  __shared__ Rows<T> rows[warps];
  const int warp = static_cast<int>(threadIdx.x) / lanes;
  for (std::int64_t i = std::int64_t{blockIdx.x} * warps + warp; i < blocks.count();
       i += std::int64_t{gridDim.x} * warps) {
    T sum;
    go_through(
        blocks[i], rows[warp], f, sum, [](const T& x) { return x; },
        [&](T& so_far, const T& x) { so_far = combined(so_far, x, op); }, [](std::int64_t, const T&) {});
    leave(sum, rows[warp], op, sums[i]);
  }
}

/// out[i] becomes the sum of its run up to i or, exclusive, before i (the first of a run is left as it is).
template <ScanKind kind, class T, class Op, class F>
__global__ void __launch_bounds__(threads) scan_runs(Blocks blocks, Op op, F f, T* out, Sums<T>* sums) {
  __shared__ Rows<T> rows[warps];
  const int warp = static_cast<int>(threadIdx.x) / lanes;
  for (std::int64_t i = std::int64_t{blockIdx.x} * warps + warp; i < blocks.count();
       i += std::int64_t{gridDim.x} * warps) {
    T sum;
    go_through(
        blocks[i], rows[warp], f, sum, [](const T& x) { return x; },
        [&](T& so_far, T& x) {
          const T next = combined(so_far, x, op);
          x = kind == ScanKind::inclusive ? next : so_far;
          so_far = next;
        },
        [out](std::int64_t place, const T& x) { out[place] = x; });
    leave(sum, rows[warp], op, sums[i]);
  }
}

/// The total of `init`, if there is one, and all blocks, in their order: to `total`, unless that is null.
/// That before each block to `before`, unless that is null. By one thread block.
template <class T, class Op>
__global__ void __launch_bounds__(threads)
    chain_blocks(std::int64_t count, bool has_init, T init, Op op, const Sums<T>* sums, T* before, T* total) {
  struct Ends {
    alignas(T) std::byte head[sizeof(T)], tail[sizeof(T)], before[sizeof(T)];
  };
  constexpr int at_a_time = sizeof(T) <= 32 ? threads : 32;
  __shared__ Ends ends[at_a_time];
  const auto as = [](std::byte* bytes) -> T& { return *reinterpret_cast<T*>(bytes); };
  T sum = init;
  const int thread = static_cast<int>(threadIdx.x);
  for (std::int64_t first = 0; first < count; first += at_a_time) {
    const std::int64_t i = first + thread;
    const bool mine = thread < at_a_time && i < count;
    if (mine) {
      as(ends[thread].head) = sums[i].sum[runs - 2];
      as(ends[thread].tail) = sums[i].sum[runs - 1];
    }
    __syncthreads();
    if (thread == 0)
      for (int k = 0; k < at_a_time && first + k < count; ++k) {
        as(ends[k].before) = sum;
        const T& head = as(ends[k].head);
        sum = combined(first + k == 0 && !has_init ? head : combined(sum, head, op), as(ends[k].tail), op);
      }
    __syncthreads();
    if (mine && before != nullptr) before[i] = as(ends[thread].before);
    __syncthreads();
  }
  if (thread == 0 && total != nullptr) *total = sum;
}

/// Puts in front of each run what comes before it: the blocks before this one and the runs before it.
template <ScanKind kind, class T, class Op>
__global__ void __launch_bounds__(threads)
    prepend(Blocks blocks, bool has_init, Op op, T* out, const Sums<T>* sums, const T* before) {
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const std::int64_t warp = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / lanes;
  for (std::int64_t r = warp; r < blocks.count() * runs; r += std::int64_t{gridDim.x} * warps) {
    const Block block = blocks[r / runs];
    const auto run = static_cast<std::size_t>(r % runs);
    const bool has_before = has_init || r >= runs;
    if (!has_before && run == 0) continue;
    T prefix = run == 0 ? before[r / runs] : sums[r / runs].sum[run - 1];
    if (run != 0 && has_before) prefix = combined(before[r / runs], prefix, op);
    const std::int64_t first = block.begin_of(run);
    for (std::int64_t i = first + lane; i < block.begin_of(run + 1); i += lanes)
      out[i] = kind == ScanKind::exclusive && i == first ? prefix : combined(prefix, out[i], op);
  }
}

/// Of less than a block, by one thread.
template <class T, class Op, class F>
__global__ void reduce_few(int n, T init, Op op, F f, T* total) {
  for (int i = 0; i < n; ++i) init = combined(init, static_cast<T>(f(std::int64_t{i})), op);
  *total = init;
}
template <ScanKind kind, class T, class Op, class F>
__global__ void scan_few(int n, bool has_init, T sum, Op op, F f, T* out) {
  for (int i = 0; i < n; ++i) {
    const T value = static_cast<T>(f(std::int64_t{i}));
    if constexpr (kind == ScanKind::exclusive) out[i] = sum;
    sum = i == 0 && !has_init ? value : combined(sum, value, op);
    if constexpr (kind == ScanKind::inclusive) out[i] = sum;
  }
}

}  // namespace foldline::detail::device
