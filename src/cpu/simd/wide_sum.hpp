// Sums of integers that 128 bits do not hold.
#pragma once

#include <cstdint>

#include "arithmetic/exact_sum.hpp"

namespace foldline::cpu {

/// A sum of integers in 192 bits: 2^63 products of two 64-bit integers stay below 2^191.
class WideSum {
 public:
  void add(Int128 term) {
    const auto bits = static_cast<Uint128>(term);
    low_ += bits;
    high_ += (low_ < bits ? 1 : 0) - (term < 0 ? 1 : 0);
  }
  void add(Uint128 term) {
    low_ += term;
    high_ += low_ < term ? 1 : 0;
  }
  void add(const WideSum& other) {
    add(other.low_);
    high_ += other.high_;
  }

  template <class Limbs>
  void move_to(ExactSum<Limbs>& sum) {
    if (high_ == (low_ >> 127 != 0 ? -1 : 0)) {  // fits 128 bits: the quick form of an exact sum
      sum.add(static_cast<Int128>(low_), 0);
    } else {
      sum.add(static_cast<Int128>(static_cast<std::uint64_t>(low_)), 0);
      sum.add(static_cast<Int128>(low_ >> 64), 64);
      sum.add(static_cast<Int128>(high_), 128);
    }
    low_ = 0;
    high_ = 0;
  }

 private:
  Uint128 low_ = 0;
  std::int64_t high_ = 0;
};

}  // namespace foldline::cpu
