// A contestant: a name and a callable that computes one operation on one set of arrays.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <foldline/operations.hpp>

namespace foldline::bench {

enum class Role : std::uint8_t {
  foldline,
  plain,  ///< a plain vectorised loop of this program: the reference for data in cache
  read,   ///< only reads the data, with hardly any arithmetic; used for the roof
  peer    ///< the first of a group is the one that ratios are taken against
};

/// Results as doubles, which hold every value of every element type; several for minmax and statistics.
using Values = std::vector<double>;

template <class T>
Values as_values(T result) {
  return {static_cast<double>(result)};
}
inline Values as_values(half result) { return {static_cast<float>(result)}; }
inline Values as_values(bfloat16 result) { return {static_cast<float>(result)}; }
template <class T>
Values as_values(const Extrema<T>& result) {
  return {result.minimum, result.maximum};
}
template <class T>
Values as_values(const Statistics<T>& result) {
  return {result.minimum,  result.maximum, result.sum,     result.mean,
          result.variance, result.abs_sum, result.two_norm};
}

struct Contestant {
  std::string name;
  Role role;
  std::function<Values()> result;
  /// Calls the operation `n` times. The loop is inside: one call through std::function per measurement, since
  /// the shortest operations take a few nanoseconds.
  std::function<void(std::int64_t)> repeat;
  /// foldline only: computes the same result in another way, as a check.
  std::function<Values()> second = {};
};

/// Compiler barrier: `value` counts as used and memory as changed, so a computation is neither dropped nor
/// moved out of a loop.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

template <class Call>
Contestant contestant(std::string name, Role role, Call call) {
  return {std::move(name), role, [call] { return as_values(call()); },
          [call](std::int64_t times) {
            for (std::int64_t i = 0; i < times; ++i) keep(call());
          }};
}

}  // namespace foldline::bench
