// Digests of many results.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "contestant.hpp"

namespace foldline::bench {

/// The first, the middle and the last result, and a hash of the bits of all in order.
template <class T>
Values digest_of(std::span<const T> results) {
  if (results.empty()) return {};
  std::uint64_t all = 0;
  for (const T& result : results) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &result, sizeof result);
    all = (all ^ bits) * 0x100000001b3u;  // FNV-1a's prime
  }
  return {static_cast<double>(results.front()), static_cast<double>(results[results.size() / 2]),
          static_cast<double>(results.back()), static_cast<double>(all >> 11)};
}

/// Output shared by all contestants, so that allocation is not measured.
template <class T>
using SharedResults = std::shared_ptr<std::vector<T>>;

/// A contestant that fills it.
template <class T, class Fill>
Contestant filling(std::string name, Role role, const SharedResults<T>& results, const Fill& fill) {
  const auto result = [=] {
    fill();
    return digest_of<T>(*results);
  };
  const auto repeat = [=](std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) {
      fill();
      keep(results->front());
    }
  };
  return {std::move(name), role, result, repeat};
}

}  // namespace foldline::bench
