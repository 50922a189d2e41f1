/// @file
/// The kernels of cuda/quadrature.cuh. Samples stay in registers:
///
///     a lane     adds batches of 32 neighbouring samples in two bins (sample_window.cuh)
///     a row      is the 32 batches of a warp's lanes, side by side
///     a tile     is up to 16 rows, by one warp: its window comes from 32 samples of it, and its total is
///     four
///                doubles without an error
///
/// A batch that the window does not hold, or that the end of the series cuts off, is marked in a bitmap of a
/// word for each row. Its samples are taken once more and written to memory, for the library to add up.
///
/// Nothing of the host is in here, so that a program can compile it while it runs.
#pragma once

#include <cstdint>

#include "foldline/detail/sample_window.cuh"
#include "foldline/detail/thread_block.hpp"

namespace foldline::detail::device {

inline constexpr int row_size = lanes * batch_size, most_rows = 16;
inline constexpr unsigned all_lanes = 0xffffffff;

/// Where samples are taken: at fma(begin + k * step, h, a) for k in [0, count) or, of rules with weights, at
/// fma(point, h, that), for each of the points.
struct Samples {
  double a, h, begin, step;
  std::int64_t count;
  std::int64_t series = 1;  ///< points
  const double *points = nullptr, *weights = nullptr;
};

/// How a launch goes about it.
struct Tiles {
  int rows;                 ///< of a tile
  std::int64_t per_series;  ///< tiles
  std::int64_t first, count;

  __device__ std::int64_t series(std::int64_t tile) const { return (first + tile) / per_series; }
  /// The first sample.
  __device__ std::int64_t begin(std::int64_t tile) const {
    return (first + tile) % per_series * rows * row_size;
  }
};

/// What the kernels count.
struct Tally {
  unsigned long long left_out;    ///< batches
  unsigned long long placed;      ///< of those, how many wanted a place in memory since it was last cleared
  unsigned long long non_finite;  ///< samples
};

template <bool weighted>
class Nodes {
 public:
  __device__ Nodes(const Samples& samples, std::int64_t series)
      : a_(samples.a),
        h_(samples.h),
        begin_(samples.begin),
        step_(samples.step),
        point_(weighted ? samples.points[series] : 0) {}

  __device__ double index(std::int64_t k) const { return __fma_rn(static_cast<double>(k), step_, begin_); }
  __device__ double next(double index) const { return __dadd_rn(index, step_); }
  __device__ double operator()(double index) const {
    const double x = __fma_rn(index, h_, a_);
    return weighted ? __fma_rn(point_, h_, x) : x;
  }

 private:
  double a_, h_, begin_, step_, point_;
};

__device__ inline unsigned warp_max(unsigned x) {
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    const unsigned other = __shfl_xor_sync(all_lanes, x, distance);
    x = other > x ? other : x;
  }
  return x;
}
__device__ inline long long warp_sum(long long x) {
  for (int distance = lanes / 2; distance > 0; distance /= 2) x += __shfl_xor_sync(all_lanes, x, distance);
  return x;
}

/// A lane's counts of both bins. 2^51 a batch, so those of a tile stay below 2^60.
struct Counts {
  long long high = 0, low = 0;
};

/// Adds a tile's batches; returns how many are left out. By a warp.
template <bool checks_rest, bool weighted, class F>
__device__ int add_rows(const Nodes<weighted>& nodes, std::int64_t begin, std::int64_t end, int rows,
                        const Window& window, F& f, unsigned* left_out, Counts& counts) {
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const std::uint32_t lowest_key = checks_rest ? 0 : window.lowest_key();
  int count = 0;
  for (int row = 0; row < rows; ++row) {
    const std::int64_t first = begin + row * row_size + lane * batch_size;
    bool done = first >= end;
    if (first + batch_size <= end) {
      Batch<checks_rest> batch(window);
      double index = nodes.index(first);
#pragma unroll 4
      for (int i = 0; i < batch_size; ++i) {
        batch.add(static_cast<double>(f(nodes(index))), lowest_key);
        index = nodes.next(index);
      }
      done = batch.fits(window, lowest_key);
      if (done) {
        counts.high += batch.high(window);
        counts.low += batch.low(window);
      }
    }
    const unsigned marked = __ballot_sync(all_lanes, !done);
    if (lane == 0) left_out[row] = marked;
    count += __popc(marked);
  }
  return count;
}

/// totals[4 t], ...: the sum of what tile t holds; weights: that of its series, four times.
template <bool weighted, class F>
__global__ void __launch_bounds__(threads) add_tiles(Samples samples, Tiles tiles, F f, unsigned* left_out,
                                                     double* totals, double* weights, Tally* tally) {
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const std::int64_t tile = std::int64_t{blockIdx.x} * warps + threadIdx.x / lanes;
  if (tile >= tiles.count) return;
  const std::int64_t series = tiles.series(tile), begin = tiles.begin(tile);
  const Nodes<weighted> nodes(samples, series);

  const std::int64_t left = samples.count - begin, room = std::int64_t{tiles.rows} * row_size;
  const std::int64_t probe = begin + lane * (left < room ? left : room) / lanes;
  std::uint32_t key = key_of(static_cast<double>(f(nodes(nodes.index(probe)))));
  if (key >= key_of_power(1024)) key = 0;  // infinite, or NaN
  const Window window(warp_max(key));
  const bool narrow = __all_sync(all_lanes, key >= window.lowest_key());

  Counts counts;
  unsigned* const marks = left_out + tile * tiles.rows;
  const int count = narrow
                        ? add_rows<false>(nodes, begin, samples.count, tiles.rows, window, f, marks, counts)
                        : add_rows<true>(nodes, begin, samples.count, tiles.rows, window, f, marks, counts);
  if (lane == 0 && count > 0) atomicAdd(&tally->left_out, static_cast<unsigned long long>(count));

  const long long high = warp_sum(counts.high), low = warp_sum(counts.low);
  if (lane >= 4) return;
  const long long bin = lane < 2 ? high : low;
  const bool upper = lane % 2 != 0;
  const long long half = upper ? bin >> 32 : bin & 0xffffffff;
  totals[4 * tile + lane] = ldexp(static_cast<double>(half), window.unit(lane / 2) + (upper ? 32 : 0));
  if (weighted) weights[4 * tile + lane] = samples.weights[series];
}

/// Takes the samples of marked batches, `room` of them at most, and clears their marks. What a batch lacks
/// after the end of the series is 0. A lane looks at a row; the warp takes a batch.
template <bool weighted, class F>
__global__ void __launch_bounds__(threads)
    sample_marked(Samples samples, Tiles tiles, F f, unsigned* left_out, std::int64_t room, double* values,
                  double* weights, Tally* tally) {
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const std::int64_t first_row = (std::int64_t{blockIdx.x} * warps + threadIdx.x / lanes) * lanes;
  const std::int64_t row = first_row + lane;
  const auto end = static_cast<unsigned long long>(room);
  // Where there is no room left, nobody asks for a place.
  const bool is_full = *static_cast<volatile unsigned long long*>(&tally->placed) >= end;
  const unsigned marked = row < tiles.count * tiles.rows && !is_full ? left_out[row] : 0;
  int before = __popc(marked);  // batches of this lane and those before it
  for (int distance = 1; distance < lanes; distance *= 2) {
    const int other = __shfl_up_sync(all_lanes, before, distance);
    if (lane >= distance) before += other;
  }
  const int total = __shfl_sync(all_lanes, before, lanes - 1);
  if (total == 0) return;
  unsigned long long place = 0;
  if (lane == 0) place = atomicAdd(&tally->placed, static_cast<unsigned long long>(total));
  place = __shfl_sync(all_lanes, place, 0);

  int non_finite = 0;
  for (int l = 0; l < lanes; ++l) {
    unsigned left = __shfl_sync(all_lanes, marked, l);
    if (left == 0) continue;
    const std::int64_t tile = (first_row + l) / tiles.rows, series = tiles.series(tile);
    const std::int64_t begin = tiles.begin(tile) + (first_row + l) % tiles.rows * row_size;
    const Nodes<weighted> nodes(samples, series);
    for (; left != 0 && place < end; left &= left - 1, ++place) {
      const std::int64_t k = begin + (__ffs(static_cast<int>(left)) - 1) * batch_size + lane;
      const double value = k < samples.count ? static_cast<double>(f(nodes(nodes.index(k)))) : 0.0;
      values[place * batch_size + lane] = value;
      if (weighted) weights[place * batch_size + lane] = samples.weights[series];
      non_finite += __popc(__ballot_sync(all_lanes, key_of(value) >= key_of_power(1024)));
    }
    if (lane == 0) left_out[first_row + l] = left;
  }
  if (lane == 0 && non_finite > 0) atomicAdd(&tally->non_finite, static_cast<unsigned long long>(non_finite));
}

/// The samples at the ends a and b.
template <class F>
__global__ void sample_ends(double a, double b, double h, F f, double* values) {
  values[0] = static_cast<double>(f(__fma_rn(0.0, h, a)));
  values[1] = static_cast<double>(f(b));
}

}  // namespace foldline::detail::device
