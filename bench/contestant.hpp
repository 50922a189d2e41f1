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
  plain,  ///< the reference in cache: a plain vectorised loop of this program
  read,   ///< reads the data and does as good as nothing with it; counts for the roof only
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
  /// Calls the operation so many times. The loop is inside: a call through std::function per measurement, not
  /// per operation, since the shortest operations take a few nanoseconds.
  std::function<void(std::int64_t)> repeat;
  /// foldline only: the same result in another way.
  std::function<Values()> second = {};
};

/// Makes the compiler believe that `value` is used and that memory may have changed, so that it neither drops
/// a computation nor moves it out of a loop.
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
