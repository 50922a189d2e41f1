// Taking time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "contestant.hpp"

namespace foldline::bench {

/// Nanoseconds for one call.
struct Timing {
  double median, minimum;
  double deviation;            ///< median of |round - median|
  std::vector<double> rounds;  ///< one after the other
  std::int64_t calls;          ///< in each measurement
};

/// `rounds`: at least one.
Timing summarise(std::vector<double> rounds, std::int64_t calls);

struct Method {
  int rounds = 11;
  double shortest = 1e-3;  ///< seconds that a measurement lasts at least
};

/// Measures A B C, A B C, ...: a disturbance longer than a round affects all alike, and the ratios within a
/// round are what counts. Data that fits the cache is in the cache.
std::vector<Timing> measure(std::span<const Contestant> contestants, const Method& method, bool threaded);

/// The limit on threads for OpenMP, OpenBLAS and TBB, until the next call.
void limit_threads(int threads);

}  // namespace foldline::bench
