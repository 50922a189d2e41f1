// The sum of one thread in a window: it adds batches whose terms all fit.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/exact/windowed_terms.cuh"

namespace foldline::cuda {

/// The sum of one kind of terms in one thread; see windowed_terms.cuh.
template <class Term_>
struct WindowedSum {
  using Term = Term_;
  static constexpr int levels = Term::levels;
  /// Levels whose counts a block publishes.
  static constexpr int levels_published = levels + (has_low_level<Term> ? 1 : 0);
  static constexpr DigitRange digits = Term::digits;

  Term term;
  std::int64_t count[levels] = {};

  __device__ __forceinline__ int window() const { return term.top; }
  static constexpr __device__ __forceinline__ int unit(int window, int level) {
    return Term::unit(window, level);
  }

  /// The largest key of a batch's finite terms. open_window_above(the block's maximum) sets the window.
  template <class Batch>
  static __device__ __forceinline__ unsigned largest_key(const Batch& batch) {
    unsigned largest = 0;
#pragma unroll
    for (int i = 0; i < Batch::size; ++i)
      if (Term::is_finite(batch.x[i], batch.second(i)))
        largest = max(largest, Term::key(batch.x[i], batch.second(i)));
    return largest;
  }
  __device__ __forceinline__ void open_window_above(unsigned key) { term.top = Term::window_top_above(key); }

  /// Adds the whole batch, or nothing if a term may not fit. Bit i of `present` is set if x[i] is an element;
  /// otherwise it must be neutral.
  template <class Batch>
  __device__ __forceinline__ bool add(const Batch& batch, unsigned present = ~0u) {
    static_assert(Batch::size <= Term::max_batch);
    Bins bins(term);
    unsigned smallest = ~0u, largest = 0;
#pragma unroll
    for (int i = 0; i < Batch::size; ++i) {
      term.deposit(batch.x[i], batch.second(i), bins.bin);
      if ((present >> i & 1) == 0) continue;
      const unsigned key = Term::key(batch.x[i], batch.second(i));
      smallest = min(smallest, key);
      largest = max(largest, key);
    }
    bool fits = largest < term.end();
    if constexpr (!Term::key_shows_infinities) fits = fits && bins.in_binade(term);
    // Zeros are common, and fit although their key is too small.
    if (fits && smallest < term.lowest()) fits = small_terms_fit(batch);
    commit(bins, fits);
    return fits;
  }

  /// Adds a batch that does not fit as a whole. A batch of normal numbers goes to the digits completely,
  /// since finding out which terms fit would take longer; others may have zeros, which fit. Returns true if
  /// any term was spilled.
  template <class Batch, class Spill>
  __device__ bool add_or_spill(const Batch& batch, const Spill& spill) {
    typename Term::Normal normal;
#pragma unroll
    for (int i = 0; i < Batch::size; ++i) Term::observe(batch.x[i], batch.second(i), normal);
    if (normal) {
#pragma unroll
      for (int i = 0; i < Batch::size; ++i) Term::template spill<true>(batch.x[i], batch.second(i), spill);
      return true;
    }
    const unsigned out = misfits(batch);
    Bins bins(term);
    using Element = std::remove_cvref_t<decltype(batch.x[0])>;
#pragma unroll
    for (int i = 0; i < Batch::size; ++i) {
      const bool is_in = (out >> i & 1) == 0;
      term.deposit(is_in ? batch.x[i] : neutral<Element>(), is_in ? batch.second(i) : neutral<Element>(),
                   bins.bin);
    }
    commit(bins, true);
#pragma unroll
    for (int i = 0; i < Batch::size; ++i)  // not by the bits of `out`: the batch must stay in registers
      if ((out >> i & 1) != 0) Term::template spill<false>(batch.x[i], batch.second(i), spill);
    return out != 0;
  }

  /// Adds one term to the window, to the window with its low level, or to the digits. Returns true for the
  /// last.
  template <class Element, class Spill>
  __device__ __forceinline__ bool add_one(Element x, Element y, std::int64_t& below, const Spill& spill) {
    const bool is_in = term.holds(x, y);
    Bins bins(term);
    if (is_in) term.deposit(x, y, bins.bin);
    commit(bins, is_in);
    if (is_in || term.add_to_low_level(x, y, count, below)) return false;
    Term::template spill<false>(x, y, spill);
    return true;
  }

  /// True if all terms of a batch but zeros are above the window's lower limit.
  template <class Batch>
  __device__ __forceinline__ bool are_large(const Batch& batch) const {
    unsigned smallest = ~0u;  // minus 1, so that zeros become the largest
#pragma unroll
    for (int i = 0; i < Batch::size; ++i)
      smallest = min(smallest, Term::key(batch.x[i], batch.second(i)) - 1);
    return smallest >= term.lowest() - 1;
  }

  /// The number of terms of a batch that do not fit.
  template <class Batch>
  __device__ int count_misfits(const Batch& batch) const {
    return __popc(misfits(batch));
  }

  /// Moves the counts to the digits, before the window is changed.
  template <class Spill>
  __device__ void flush(const Spill& spill) {
    for (int k = 0; k < levels; ++k) {
      if (count[k] != 0) spill.add(count[k], unit(window(), k));
      count[k] = 0;
    }
  }

 private:
  struct Bins {
    double bin[levels];
    explicit __device__ __forceinline__ Bins(const Term& term) {
#pragma unroll
      for (int k = 0; k < levels; ++k) bin[k] = anchor(term, k);
    }
    static __device__ __forceinline__ double anchor(const Term& term, int level) {
      return anchor_at(Term::unit(term.top, level));
    }
    /// The sum in a bin, in units: the difference of its bits from the anchor's, whose low half is zero.
    __device__ __forceinline__ std::int64_t added(const Term& term, int level) const {
      const unsigned high = high_bits(bin[level]) - high_bits(anchor(term, level));
      return static_cast<std::int64_t>(std::uint64_t{high} << 32 | low_bits(bin[level]));
    }
    /// Infinities and NaN leave the binade for good.
    __device__ __forceinline__ bool in_binade(const Term& term) const {
      return ((high_bits(bin[0]) ^ high_bits(anchor(term, 0))) & 0xfff00000u) == 0;
    }
  };

  /// True if the terms of a batch below the lower limit fit. If the term type can test for zero, only zeros
  /// are accepted: testing the digits of others takes more registers than the main loop has.
  template <class Batch>
  __device__ __forceinline__ bool small_terms_fit(const Batch& batch) const {
    if constexpr (requires { Term::is_zero(batch.x[0], batch.second(0)); }) {
      bool fit = true;
#pragma unroll
      for (int i = 0; i < Batch::size; ++i)
        fit &= Term::key(batch.x[i], batch.second(i)) >= term.lowest() ||
               Term::is_zero(batch.x[i], batch.second(i));
      return fit;
    } else {
      return misfits(batch) == 0;
    }
  }
  /// The terms of a batch that do not fit, as a bit mask.
  template <class Batch>
  __device__ __forceinline__ unsigned misfits(const Batch& batch) const {
    unsigned out = 0;
#pragma unroll
    for (int i = 0; i < Batch::size; ++i) out |= term.holds(batch.x[i], batch.second(i)) ? 0u : 1u << i;
    return out;
  }
  __device__ __forceinline__ void commit(const Bins& bins, bool fits) {
    if (!fits) return;
#pragma unroll
    for (int k = 0; k < levels; ++k) count[k] += bins.added(term, k);
  }
};

}  // namespace foldline::cuda
