// The sum of one thread: counts of a window's units. The thread may move its window.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/device/lane.cuh"
#include "cuda/exact/bin_terms.cuh"
#include "cuda/exact/digits.cuh"

namespace foldline::cuda {

/// The lowest allowed unit of the last level. With products, fma(x, y, -p) is exact if |p| >= unit and the
/// unit is at least 2^-968, since its lowest bit is then at least 2^-1074. Smaller products, and those that
/// underflow to zero, do not fit.
template <bool ProductsAreDoubles>
inline constexpr int lowest_unit = ProductsAreDoubles ? smallest_exponent : smallest_exponent + 106;

/// A window of K levels; see BinWindow. Only the high half of the top anchor is stored: the low half is zero
/// and the other anchors follow.
template <int K>
struct Window {
  static constexpr int highest_top = BinWindow::highest_top;
  /// Windows start at multiples of this, so that most threads of most blocks have the same one.
  static constexpr int grain = 8;

  int anchor_high;

  __device__ __forceinline__ double anchor(int level) const {
    return __hiloint2double(anchor_high - level * (BinWindow::width << 20), 0);
  }
  constexpr __device__ __forceinline__ int unit(int level) const {
    return (anchor_high >> 20) - significand_bias - level * BinWindow::width;
  }
  /// The high word of 2^top, an upper bound of all terms.
  __device__ unsigned top_bits() const {
    return ((static_cast<unsigned>(anchor_high) >> 20) + BinWindow::width - fraction_bits) << 20;
  }
  /// The window above terms whose largest magnitude has this high word.
  static __device__ __forceinline__ Window above(unsigned high, int lowest_top) {
    const int top = static_cast<int>(high >> 20) - exponent_bias + 1;
    const int even = (top + grain - 1) & ~(grain - 1);
    const int current_window = min(max(even, lowest_top), highest_top);
    return {(current_window - BinWindow::width + significand_bias) << 20 | 1 << 19};
  }
};

/// A sink that finds the high word of the largest finite term.
struct LargestTerm {
  unsigned high = 0;
  __device__ __forceinline__ void value(double t) {
    const unsigned magnitude = high_bits(t) & 0x7fffffffu;
    if (magnitude < 0x7ff00000u) high = max(high, magnitude);
  }
  __device__ __forceinline__ void product(double a, double b) { value(__dmul_rn(a, b)); }
  __device__ __forceinline__ void low_product(double a, double b) { product(a, b); }
};

/// A sink that adds terms to bins and tells whether they all fit. At most `deposits_per_block` deposits per
/// level.
template <int K, bool ProductsAreDoubles>
struct TrialSum {
  double bin[K];
  double anchor;
  Bits range, residual;
  bool vanished = false;

  explicit __device__ __forceinline__ TrialSum(const Window<K>& window) : anchor(window.anchor(0)) {
#pragma unroll
    for (int k = 0; k < K; ++k) bin[k] = window.anchor(k);
  }
  __device__ __forceinline__ void value(double t) { Deposit<0, K, 0>(t, bin, anchor, 1.0, range, residual); }
  __device__ __forceinline__ void product(double a, double b) {
    const double p = __dmul_rn(a, b);
    value(p);
    if constexpr (!ProductsAreDoubles) {
      Deposit<1, K, 0>(__fma_rn(a, b, -p), bin, anchor, 1.0, range, residual);
      vanished |= p == 0 && a != 0 && b != 0;
    }
  }
  __device__ __forceinline__ void low_product(double a, double b) { product(a, b); }

  __device__ __forceinline__ bool fits() const {
    return ((range.high & 0xfff00000u) | (residual.high & 0x7fffffffu) | residual.low) == 0 && !vanished;
  }
};

/// A sink for batches that may not fit: adds what it can to the bins and spills the remainder of a term, or
/// all of it. Without a destination (null) it only counts such terms. The bins get the same values either
/// way.
template <int K, bool ProductsAreDoubles, class Spill>
struct SpillingSum {
  TrialSum<K, ProductsAreDoubles> attempt;
  unsigned too_high;  // the high word from which on terms are too large for the window
  const Spill* spill;
  int left = 0;

  __device__ SpillingSum(const Window<K>& window, const Spill* to)
      : attempt(window), too_high(window.top_bits()), spill(to) {}

  __device__ void value(double t) {
    if (fits(t))
      keep(Deposit<0, K, 0>(t, attempt.bin, attempt.anchor, 1.0, attempt.range, attempt.residual));
    else
      keep(t);
  }
  __device__ void product(double a, double b) {
    const double p = __dmul_rn(a, b);
    if constexpr (ProductsAreDoubles) {
      value(p);
    } else if (fits(p) && (fabs(p) >= power_of_two(lowest_unit<false>) || a == 0 || b == 0)) {
      value(p);
      keep(Deposit<1, K, 0>(__fma_rn(a, b, -p), attempt.bin, attempt.anchor, 1.0, attempt.range,
                            attempt.residual));
    } else {
      ++left;
      if (spill != nullptr) spill->add_product(a, b);
    }
  }
  /// Low parts of integers are finite; skip zeros, so that infinity times a low part of zero gives no NaN.
  __device__ void low_product(double a, double b) {
    if (a != 0 && b != 0) product(a, b);
  }

 private:
  __device__ bool fits(double t) const { return (high_bits(t) & 0x7fffffffu) < too_high; }
  __device__ void keep(double t) {
    if (t == 0) return;
    ++left;
    if (spill != nullptr) spill->add(t);
  }
};

/// The sum of one kind of terms in one thread.
template <class Terms_, int Levels, bool ProductsAreDoubles>
struct ThreadSum {
  using Terms = Terms_;
  static constexpr int levels = Levels, levels_published = Levels;
  static constexpr DigitRange digits = std::is_same_v<Terms, Products> || std::is_same_v<Terms, Squares>
                                           ? double_product_digits
                                           : double_digits;

  Window<Levels> current_window;
  std::int64_t count[Levels] = {};

  __device__ __forceinline__ int window() const { return current_window.anchor_high >> 20; }
  static constexpr __device__ __forceinline__ int unit(int window, int level) {
    return Window<Levels>{window << 20}.unit(level);
  }

  /// The high word of the largest finite term of a batch. open_window_above(the block's maximum) sets the
  /// window.
  template <class Batch>
  static __device__ __forceinline__ unsigned largest_key(const Batch& batch) {
    LargestTerm largest;
    emit(batch, largest);
    return largest.high;
  }
  __device__ __forceinline__ void open_window_above(unsigned high) {
    current_window = Window<Levels>::above(high, lowest_unit<ProductsAreDoubles> + Levels * BinWindow::width);
  }

  /// Adds the whole batch or nothing. Neutral elements always fit.
  template <class Batch>
  __device__ __forceinline__ bool add(const Batch& batch, std::uint64_t = 0) {
    TrialSum<Levels, ProductsAreDoubles> attempt(current_window);
    emit(batch, attempt);
    const bool fits = attempt.fits();
    commit(attempt, fits);
    return fits;
  }

  /// Adds a batch and spills what is too small or too large for the window. Returns true if anything was
  /// spilled.
  template <class Batch, class Spill>
  __device__ bool add_or_spill(const Batch& batch, const Spill& spill) {
    SpillingSum<Levels, ProductsAreDoubles, Spill> sink(current_window, &spill);
    emit_one_by_one(batch, sink);
    commit(sink.attempt, true);
    return sink.left != 0;
  }

  /// The number of terms of a batch that do not fit.
  template <class Batch>
  __device__ int count_misfits(const Batch& batch) const {
    struct Nowhere {
      __device__ void add(double) const {}
      __device__ void add_product(double, double) const {}
    };
    SpillingSum<Levels, ProductsAreDoubles, Nowhere> sink(current_window, nullptr);
    emit_one_by_one(batch, sink);
    return sink.left;
  }

  /// Moves the counts to the digits, before the window is changed.
  template <class Spill>
  __device__ void flush(const Spill& spill) {
    for (int k = 0; k < Levels; ++k) {
      if (count[k] != 0) spill.add(count[k], current_window.unit(k));
      count[k] = 0;
    }
  }

 private:
  template <class Batch, class Sink>
  static __device__ __forceinline__ void emit(const Batch& batch, Sink& sink) {
#pragma unroll
    for (int i = 0; i < Batch::size; ++i) Terms::emit(widen(batch.x[i]), widen(batch.second(i)), sink);
  }
  template <class Batch, class Sink>
  static __device__ void emit_one_by_one(const Batch& batch, Sink& sink) {
#pragma unroll 1
    for (int i = 0; i < Batch::size; ++i) Terms::emit(widen(batch.x[i]), widen(batch.second(i)), sink);
  }
  __device__ __forceinline__ void commit(const TrialSum<Levels, ProductsAreDoubles>& attempt, bool fits) {
#pragma unroll
    for (int k = 0; k < Levels; ++k)
      count[k] +=
          fits ? __double_as_longlong(attempt.bin[k]) - __double_as_longlong(current_window.anchor(k)) : 0;
  }
};

}  // namespace foldline::cuda
