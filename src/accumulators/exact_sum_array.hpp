// An array of exact sums, each a ScaledInteger as long as that can hold it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "arithmetic/exact_sum.hpp"
#include "arithmetic/scaled_integer.hpp"

namespace foldline {

/// An array that grows in chunks: nothing is copied, and at most one chunk is spare.
template <class T>
class ChunkedArray {
 public:
  T& operator[](std::size_t i) { return chunks_[i / chunk][i % chunk]; }
  const T& operator[](std::size_t i) const { return chunks_[i / chunk][i % chunk]; }
  void resize(std::size_t size) {
    while (chunks_.size() * chunk < size) chunks_.push_back(std::make_unique<T[]>(chunk));
  }
  std::int64_t bytes() const { return static_cast<std::int64_t>(chunks_.size() * (chunk * sizeof(T) + 32)); }

 private:
  static constexpr std::size_t chunk = 256;
  std::vector<std::unique_ptr<T[]>> chunks_;
};

/// Sums of the same terms as ExactSum<L>.
template <class Integer, class L>
class ExactSumArray {
 public:
  void resize(std::size_t size) { cells_.resize(size); }
  void prefetch(std::size_t i) const { __builtin_prefetch(&cells_[i], 1); }

  /// Adds +-magnitude * 2^exponent.
  void add(std::size_t i, bool negative, Uint128 magnitude, int exponent) {
    Cell& cell = cells_[i];
    if (cell.spill != 0 && spill_of(cell).limbs)
      return spill_of(cell).limbs->add(negative, magnitude, exponent);
    ScaledInteger<Integer> number = cell.number();
    if (number.add(negative, magnitude, exponent, L::first_exponent)) [[likely]]
      cell.set(number);
    else
      limbs_of(cell).add(negative, magnitude, exponent);
  }
  /// Counts x, which must be NaN or infinite.
  void add_special(std::size_t i, double x) { spill_of(cells_[i]).specials.count(x); }

  void add(std::size_t i, ExactSum<L>& sum) {
    if (sum.specials.any()) spill_of(cells_[i]).specials.merge(sum.specials);
    if (sum.is_compact()) {
      Uint128 magnitude = 0;
      const auto [negative, exponent] = sum.compact_magnitude(magnitude);
      return add(i, negative, magnitude, exponent);
    }
    Natural<L::count + 1> magnitude;
    if (sum.magnitude(magnitude); !magnitude.is_zero()) limbs_of(cells_[i]).merge(sum.limbs());
  }

  void merge(std::size_t i, const ExactSumArray& other, std::size_t j) {
    const Cell& from = other.cells_[j];
    if (from.spill != 0) {
      const Spill& spill = other.spills_[from.spill - 1];
      if (spill.specials.any()) spill_of(cells_[i]).specials.merge(spill.specials);
      if (spill.limbs) return limbs_of(cells_[i]).merge(*spill.limbs);
    }
    add_terms_of(from.number(), [&](bool negative, Uint128 magnitude, int exponent) {
      add(i, negative, magnitude, exponent);
    });
  }

  /// Adds sum i to an ExactSum.
  void add_to(ExactSum<L>& sum, std::size_t i) const {
    const Cell& cell = cells_[i];
    if (cell.spill != 0) {
      const Spill& spill = spills_[cell.spill - 1];
      sum.specials.merge(spill.specials);
      if (spill.limbs) return sum.limbs().merge(*spill.limbs);
    }
    add_terms_of(cell.number(), [&](bool negative, Uint128 magnitude, int exponent) {
      if (magnitude >> 127 != 0) return sum.limbs().add(negative, magnitude, exponent);
      const auto value = static_cast<Int128>(magnitude);
      sum.add(negative ? -value : value, exponent);
    });
  }

  std::int64_t bytes() const {
    return cells_.bytes() + static_cast<std::int64_t>(spills_.size() * sizeof(Spill) + limbs_ * sizeof(L));
  }

 private:
  /// What a scaled integer cannot hold.
  struct Spill {
    Specials specials;
    std::unique_ptr<L> limbs;  ///< replaces the scaled integer, if set
  };
  /// A packed ScaledInteger.
  struct Cell {
    std::uint64_t word[sizeof(Integer) / 8] = {};
    std::uint32_t spill = 0;  ///< index + 1 in spills_, or 0
    std::int16_t exponent = 0;

    ScaledInteger<Integer> number() const {
      ScaledInteger<Integer> result;
      std::memcpy(&result.value, word, sizeof word);
      result.exponent = exponent;
      return result;
    }
    void set(const ScaledInteger<Integer>& number) {
      std::memcpy(word, &number.value, sizeof word);
      exponent = static_cast<std::int16_t>(number.exponent);
    }
  };

  Spill& spill_of(Cell& cell) {
    if (cell.spill == 0) {
      spills_.emplace_back();
      cell.spill = static_cast<std::uint32_t>(spills_.size());
    }
    return spills_[cell.spill - 1];
  }

  L& limbs_of(Cell& cell) {
    Spill& spill = spill_of(cell);
    if (spill.limbs) return *spill.limbs;
    spill.limbs = std::make_unique<L>();
    spill.limbs->clear();
    ++limbs_;
    add_terms_of(cell.number(), [&](bool negative, Uint128 magnitude, int exponent) {
      spill.limbs->add(negative, magnitude, exponent);
    });
    return *spill.limbs;
  }

  /// Calls add(negative, magnitude, exponent) for one or two terms whose sum is the number.
  template <class Add>
  static void add_terms_of(const ScaledInteger<Int128>& number, const Add& add) {
    if (number.value != 0) add(number.value < 0, magnitude(number.value), number.exponent);
  }
  template <class Add>
  static void add_terms_of(const ScaledInteger<Int256>& number, const Add& add) {
    const bool negative = number.value.high < 0;
    Int256 magnitude = negative ? IntegerOps<Int256>::negated(number.value) : number.value;
    if (IntegerOps<Int256>::is_zero(magnitude)) return;
    const int zeros = IntegerOps<Int256>::zeros_below(magnitude);
    magnitude = IntegerOps<Int256>::shifted_down(magnitude, zeros);
    add(negative, magnitude.low, number.exponent + zeros);
    if (magnitude.high != 0)
      add(negative, static_cast<Uint128>(magnitude.high), number.exponent + zeros + 128);
  }

  ChunkedArray<Cell> cells_;
  std::deque<Spill> spills_;
  std::size_t limbs_ = 0;
};

}  // namespace foldline
