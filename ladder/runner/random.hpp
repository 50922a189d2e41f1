// Random numbers for the inputs: splitmix64 (Steele, Lea and Flood 2014), about a nanosecond each; and those
// of the texts' programs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace foldline::ladder {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// In [0, bound); bound < 2^32.
  std::uint64_t below(std::uint64_t bound) { return (next() >> 32) * bound >> 32; }
  /// From -4 to 4, but not 0.
  std::int64_t whole_number() {
    const auto k = static_cast<std::int64_t>(below(8));
    return k < 4 ? k - 4 : k - 3;
  }

 private:
  std::uint64_t state_;
};

/// The numbers of srand(seed) and rand() in glibc, on any system: each is the sum, modulo 2^32, of those 3
/// and 31 places before, without its last bit. A program that never calls srand has seed 1, and 0 means 1.
class TextbookRandom {
 public:
  explicit TextbookRandom(std::uint32_t seed) {
    std::uint64_t word = seed == 0 ? 1 : seed;
    for (std::uint32_t& of_state : state_) {
      of_state = static_cast<std::uint32_t>(word);
      word = word * 16807 % 2147483647;
    }
    for (int unused = 0; unused < 310; ++unused) next();
  }

  /// In [0, 2^31).
  std::uint32_t next() {
    const std::uint32_t sum = state_[oldest_] += state_[(oldest_ + state_.size() - 3) % state_.size()];
    oldest_ = (oldest_ + 1) % state_.size();
    return sum >> 1;
  }

 private:
  std::array<std::uint32_t, 31> state_;  ///< the last 31 sums, from `oldest_` on
  std::size_t oldest_ = 3;
};

}  // namespace foldline::ladder
