/// @file
/// Integrals by composite rules on a GPU, of the user's own function; for nvcc. The results are those of
/// foldline::integrate (quadrature.hpp):
///
///     struct QuarterCircle {
///       __host__ __device__ double operator()(double x) const { return 4 / (1 + x * x); }
///     };
///     foldline::cuda::integrate(QuarterCircle(), 0, 1, foldline::Rule::midpoint(), 10'000'000'000).value
///
/// Nodes, weights, sums and the one rounding are the CPU's, so the bits are too wherever f computes the same
/// on both processors. It does if it is made of + - * / sqrt and fma, and nvcc is told not to contract
/// a * b + c (-fmad=false). Functions like exp may differ in their last place; whatever f gives is added up
/// exactly, so results are the same in every run.
///
/// Samples stay in registers: 4 to 6 operations in double precision each, beside what f takes. Those that are
/// far from their neighbours in size, or not finite, are taken a second time and go through memory.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <vector>

#include "foldline/accumulator.hpp"
#include "foldline/context.hpp"
#include "foldline/detail/device_calls.cuh"
#include "foldline/detail/device_samples.cuh"
#include "foldline/detail/rule.hpp"
#include "foldline/error.hpp"
#include "foldline/plan.hpp"
#include "foldline/quadrature.hpp"

namespace foldline::detail::device {

/// The kernels for a function. They may come from elsewhere: compiled while the program runs.
template <class F>
struct Kernels {
  void (*add_tiles)(Samples, Tiles, F, unsigned*, double*, double*, Tally*);
  void (*add_weighted_tiles)(Samples, Tiles, F, unsigned*, double*, double*, Tally*);
  void (*sample_marked)(Samples, Tiles, F, unsigned*, std::int64_t, double*, double*, Tally*);
  void (*sample_marked_weighted)(Samples, Tiles, F, unsigned*, std::int64_t, double*, double*, Tally*);
  void (*sample_ends)(double, double, double, F, double*);
};
template <class F>
inline constexpr Kernels<F> kernels_of = {add_tiles<false, F>, add_tiles<true, F>, sample_marked<false, F>,
                                          sample_marked<true, F>, sample_ends<F>};

/// Takes the samples of a rule.
template <class F>
class Sampler {
 public:
  Sampler(const F& f, const Kernels<F>& kernels, const Context& context)
      : f_(f),
        kernels_(kernels),
        context_{.execution = {.device = context.execution.device, .stream = context.execution.stream}},
        stream_(static_cast<cudaStream_t>(context.execution.stream)) {}

  /// Adds samples, times their weights if there are any.
  void add(const Samples& samples, Accumulator& sum) {
    const std::int64_t rows = (samples.count - 1) / row_size + 1;
    // Enough tiles for all warps, and so many that it does not show if some warps have one more than others.
    const auto height = static_cast<int>(std::clamp<std::int64_t>(samples.series * rows >> 16, 1, most_rows));
    const std::int64_t per_series = (rows - 1) / height + 1, total = samples.series * per_series;
    const std::int64_t most = std::min(total, most_tiles);
    const bool weighted = samples.weights != nullptr;
    const DeviceArray<unsigned> marks(most * height);
    const DeviceArray<Tally> tally(1);
    const Values totals(weighted, 4 * most);
    for (std::int64_t first = 0; first < total; first += most) {
      const Tiles tiles{height, per_series, first, std::min(most, total - first)};
      check(cudaMemsetAsync(tally.data(), 0, sizeof(Tally), stream_), "clearing memory");
      launch(weighted ? kernels_.add_weighted_tiles : kernels_.add_tiles, (tiles.count - 1) / warps + 1,
             threads, stream_, samples, tiles, f_, marks.data(), totals.values.data(), totals.weights.data(),
             tally.data());
      const auto left_out = static_cast<std::int64_t>(fetched(tally).left_out);
      add_up(totals, 4 * tiles.count, sum);
      if (left_out > 0) add_marked(samples, tiles, marks, left_out, tally, sum);
    }
  }
  /// The samples at a and b.
  std::array<double, 2> ends(double a, double b, double h) {
    const DeviceArray<double> there(2);
    std::array<double, 2> values{};
    launch(kernels_.sample_ends, 1, 1, stream_, a, b, h, f_, there.data());
    fetch(values.data(), there, 2);
    return values;
  }
  /// How many of those added were NaN or infinite.
  std::int64_t non_finite() const { return non_finite_; }

 private:
  // Of a launch: with tiles of 16 rows 2^32 samples, and 24 MiB of marks and totals.
  static constexpr std::int64_t most_tiles = std::int64_t{1} << 18;
  // Batches whose samples are in memory at a time: 128 MiB.
  static constexpr std::int64_t most_batches = std::int64_t{1} << 19;

  /// Doubles that are to be added up, with a weight each if there are any.
  struct Values {
    Values(bool weighted, std::int64_t size) : values(size), weights(weighted ? size : 0) {}
    DeviceArray<double> values, weights;
  };

  /// The samples of marked batches, through memory.
  void add_marked(const Samples& samples, const Tiles& tiles, const DeviceArray<unsigned>& marks,
                  std::int64_t batches, const DeviceArray<Tally>& tally, Accumulator& sum) {
    const std::int64_t room = std::min(batches, most_batches);
    const std::int64_t blocks = (tiles.count * tiles.rows - 1) / threads + 1;
    const bool weighted = samples.weights != nullptr;
    const Values values(weighted, room * batch_size);
    for (; batches > 0; batches -= room) {
      check(cudaMemsetAsync(&tally.data()->placed, 0, sizeof tally.data()->placed, stream_),
            "clearing memory");
      launch(weighted ? kernels_.sample_marked_weighted : kernels_.sample_marked, blocks, threads, stream_,
             samples, tiles, f_, marks.data(), room, values.values.data(), values.weights.data(),
             tally.data());
      add_up(values, std::min(room, batches) * batch_size, sum);
    }
    non_finite_ += static_cast<std::int64_t>(fetched(tally).non_finite);
  }

  void add_up(const Values& from, std::int64_t size, Accumulator& sum) {
    const VectorView values(from.values.data(), size);
    if (from.weights.data() != nullptr)
      sum.add(values, VectorView(from.weights.data(), size), context_);
    else
      sum.add(values, context_);
  }

  template <class T>
  void fetch(T* to, const DeviceArray<T>& from, std::size_t size) {
    check(cudaMemcpyAsync(to, from.data(), size * sizeof(T), cudaMemcpyDeviceToHost, stream_),
          "copying from the device");
    check(cudaStreamSynchronize(stream_), "taking samples");
  }
  Tally fetched(const DeviceArray<Tally>& from) {
    Tally tally{};
    fetch(&tally, from, 1);
    return tally;
  }

  F f_;
  Kernels<F> kernels_;
  Context context_;
  cudaStream_t stream_;
  std::int64_t non_finite_ = 0;
};

/// A copy on the device.
inline void copy(const std::vector<double>& from, const DeviceArray<double>& to, cudaStream_t stream) {
  check(cudaMemcpyAsync(to.data(), from.data(), from.size() * sizeof(double), cudaMemcpyHostToDevice, stream),
        "copying to the device");
}

template <class F>
RuleSums sample_rule(const F& f, const Kernels<F>& kernels, double a, double b, Rule rule, std::int64_t n,
                     const Context& context) {
  const double h = (b - a) / static_cast<double>(n);
  Sampler<F> sampler(f, kernels, context);
  RuleSums sums(rule);
  switch (rule.kind()) {
    case Rule::Kind::midpoint:
      sampler.add({a, h, 0.5, 1, n}, sums.all);
      break;
    case Rule::Kind::trapezoid:
      sampler.add({a, h, 0, 1, n}, sums.all);
      break;
    case Rule::Kind::simpson:
      sampler.add({a, h, 0, 2, n / 2}, sums.all);
      sampler.add({a, h, 1, 2, n / 2}, sums.odd);
      sums.all.merge(sums.odd);
      break;
    case Rule::Kind::gauss_legendre: {
      const QuadratureNodes points = points_of_interval(rule);
      const DeviceArray<double> nodes(rule.points()), weights(rule.points());
      copy(points.nodes, nodes, static_cast<cudaStream_t>(context.execution.stream));
      copy(points.weights, weights, static_cast<cudaStream_t>(context.execution.stream));
      sampler.add({a, h, 0, 1, n, rule.points(), nodes.data(), weights.data()}, sums.all);
      break;
    }
  }
  sums.non_finite = sampler.non_finite();
  if (!has_ends(rule)) return sums;
  const std::array<double, 2> ends = sampler.ends(a, b, h);  // the last sample is in none of the series
  sums.all.add(std::array{ends[1]});
  sums.ends.add(std::array{-ends[0], -ends[1]});
  sums.non_finite += std::isfinite(ends[1]) ? 0 : 1;
  return sums;
}

/// Throws InvalidArgument if a call cannot run there.
inline void require_gpu(const Device& device) {
  if (device.kind != Device::Kind::cuda)
    throw InvalidArgument("cuda::integrate: the context asks for the CPU; foldline::integrate works there");
  foldline::require_device(device);
}

/// The rule's result; see foldline::cuda::integrate.
template <class F>
Integral apply_rule(const F& f, const Kernels<F>& kernels, double a, double b, Rule rule, std::int64_t n,
                    const Context& context) {
  require_gpu(context.execution.device);
  require_rule(a, b, rule, n);
  const CurrentDevice current(context.execution.device.index);
  return integral_of(sample_rule(f, kernels, a, b, rule, n, context), a, b, rule, n);
}

}  // namespace foldline::detail::device

/// The library's templates for functions on a GPU.
namespace foldline::cuda {

/// The integral of f from a to b by a composite rule with n intervals, on the context's device; see
/// foldline::integrate for what is rounded where, and which arguments are refused.
///
/// f is called on the device as f(x) with a double and gives a number. It is copied there, so what it points
/// to must be in memory that the device reaches. It may be called more than once for a node; `evaluations` is
/// the number of nodes.
///
/// The work comes after what is in the context's stream; the call returns when the result is there. It takes
/// up to 160 MiB of the device, which are released at the end. Throws DeviceError if the device fails,
/// InvalidArgument for a context without a GPU or a library that was built without CUDA.
template <class F>
Integral integrate(F f, double a, double b, Rule rule, std::int64_t n,
                   const Context& context = {.execution = {.device = Device::cuda()}}) {
  return detail::device::apply_rule(f, detail::device::kernels_of<F>, a, b, rule, n, context);
}

}  // namespace foldline::cuda
