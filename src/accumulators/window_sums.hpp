// Many exact sums, each in a window as long as one holds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "accumulators/window.hpp"
#include "arithmetic/exact_sum.hpp"

namespace foldline {

/// An array that grows by pieces: nothing is copied, and no more than a piece is too much.
template <class T>
class Pieces {
 public:
  T& operator[](std::size_t i) { return pieces_[i / piece][i % piece]; }
  const T& operator[](std::size_t i) const { return pieces_[i / piece][i % piece]; }
  void resize(std::size_t size) {
    while (pieces_.size() * piece < size) pieces_.push_back(std::make_unique<T[]>(piece));
  }
  std::int64_t bytes() const { return static_cast<std::int64_t>(pieces_.size() * (piece * sizeof(T) + 32)); }

 private:
  static constexpr std::size_t piece = 256;
  std::vector<std::unique_ptr<T[]>> pieces_;
};

/// Sums of terms as ExactSum<L> has them.
template <class Integer, class L>
class WindowSums {
 public:
  void resize(std::size_t size) { cells_.resize(size); }
  void prefetch(std::size_t i) const { __builtin_prefetch(&cells_[i], 1); }

  /// Adds +-magnitude * 2^exponent.
  void add(std::size_t i, bool negative, Uint128 magnitude, int exponent) {
    Cell& cell = cells_[i];
    if (cell.side != 0 && side_of(cell).limbs) return side_of(cell).limbs->add(negative, magnitude, exponent);
    Window<Integer> window = cell.window();
    if (window.add(negative, magnitude, exponent, L::first_exponent)) [[likely]]
      cell.set(window);
    else
      limbs_of(cell).add(negative, magnitude, exponent);
  }
  /// Counts x, which must be NaN or infinite.
  void add_special(std::size_t i, double x) { side_of(cells_[i]).specials.count(x); }

  void add(std::size_t i, ExactSum<L>& sum) {
    if (sum.specials.any()) side_of(cells_[i]).specials.merge(sum.specials);
    if (sum.is_compact()) {
      Uint128 magnitude = 0;
      const auto [negative, exponent] = sum.compact_magnitude(magnitude);
      return add(i, negative, magnitude, exponent);
    }
    Natural<L::count + 1> magnitude;
    if (sum.magnitude(magnitude); !magnitude.is_zero()) limbs_of(cells_[i]).merge(sum.limbs());
  }

  void merge(std::size_t i, const WindowSums& other, std::size_t j) {
    const Cell& from = other.cells_[j];
    if (from.side != 0) {
      const Side& side = other.sides_[from.side - 1];
      if (side.specials.any()) side_of(cells_[i]).specials.merge(side.specials);
      if (side.limbs) return limbs_of(cells_[i]).merge(*side.limbs);
    }
    add_window(from.window(), [&](bool negative, Uint128 magnitude, int exponent) {
      add(i, negative, magnitude, exponent);
    });
  }

  /// Adds sum i to an ExactSum.
  void add_to(ExactSum<L>& sum, std::size_t i) const {
    const Cell& cell = cells_[i];
    if (cell.side != 0) {
      const Side& side = sides_[cell.side - 1];
      sum.specials.merge(side.specials);
      if (side.limbs) return sum.limbs().merge(*side.limbs);
    }
    add_window(cell.window(), [&](bool negative, Uint128 magnitude, int exponent) {
      if (magnitude >> 127 != 0) return sum.limbs().add(negative, magnitude, exponent);
      const auto value = static_cast<Int128>(magnitude);
      sum.add(negative ? -value : value, exponent);
    });
  }

  std::int64_t bytes() const {
    return cells_.bytes() + static_cast<std::int64_t>(sides_.size() * sizeof(Side) + limbs_ * sizeof(L));
  }

 private:
  /// What no window holds.
  struct Side {
    Specials specials;
    std::unique_ptr<L> limbs;  ///< the sum instead of the window's, if there are any
  };
  /// A window, packed.
  struct Cell {
    std::uint64_t word[sizeof(Integer) / 8] = {};
    std::uint32_t side = 0;  ///< its number + 1, if it has one
    std::int16_t exponent = 0;

    Window<Integer> window() const {
      Window<Integer> result;
      std::memcpy(&result.value, word, sizeof word);
      result.exponent = exponent;
      return result;
    }
    void set(const Window<Integer>& window) {
      std::memcpy(word, &window.value, sizeof word);
      exponent = static_cast<std::int16_t>(window.exponent);
    }
  };

  Side& side_of(Cell& cell) {
    if (cell.side == 0) {
      sides_.emplace_back();
      cell.side = static_cast<std::uint32_t>(sides_.size());
    }
    return sides_[cell.side - 1];
  }

  L& limbs_of(Cell& cell) {
    Side& side = side_of(cell);
    if (side.limbs) return *side.limbs;
    side.limbs = std::make_unique<L>();
    side.limbs->clear();
    ++limbs_;
    add_window(cell.window(), [&](bool negative, Uint128 magnitude, int exponent) {
      side.limbs->add(negative, magnitude, exponent);
    });
    return *side.limbs;
  }

  /// Calls add(negative, magnitude, exponent) for one term, or for two that are the window's sum.
  template <class Add>
  static void add_window(const Window<Int128>& window, const Add& add) {
    const bool negative = window.value < 0;
    const auto bits = static_cast<Uint128>(window.value);
    if (bits != 0) add(negative, negative ? ~bits + 1 : bits, window.exponent);
  }
  template <class Add>
  static void add_window(const Window<Int256>& window, const Add& add) {
    const bool negative = window.value.high < 0;
    Int256 magnitude = negative ? WindowInteger<Int256>::negated(window.value) : window.value;
    if (WindowInteger<Int256>::is_zero(magnitude)) return;
    const int zeros = WindowInteger<Int256>::zeros_below(magnitude);
    magnitude = WindowInteger<Int256>::shifted_down(magnitude, zeros);
    add(negative, magnitude.low, window.exponent + zeros);
    if (magnitude.high != 0)
      add(negative, static_cast<Uint128>(magnitude.high), window.exponent + zeros + 128);
  }

  Pieces<Cell> cells_;
  std::deque<Side> sides_;
  std::size_t limbs_ = 0;
};

}  // namespace foldline
