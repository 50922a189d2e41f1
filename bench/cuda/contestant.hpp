// A contestant on the GPU: what it queues in the stream, and access to its result.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/contestant.hpp"
#include "memory.hpp"

namespace foldline::bench::cuda {

struct DeviceContestant {
  std::string name;
  Role role;
  /// Queues call number i of a batch; the next call overwrites its results.
  std::function<void(std::int64_t)> queue;
  /// The result of call 0, which it makes and waits for; in full for foldline, the first numbers for peers.
  std::function<Values()> result;
  /// foldline only: the expected result, from the CPU or by the same call again.
  std::function<Values()> second = {};
  /// False for calls that wait for their result, which no CUDA graph can contain.
  bool capturable = true;
};

/// The first, the middle and the last: digest_of begins with the same.
template <class T>
Values samples_of(const T* results, std::int64_t size) {
  Values values;
  for (const std::int64_t i : {std::int64_t{0}, size / 2, size - 1})
    values.push_back(static_cast<double>(copy_to_host(results + i, 1).front()));
  return values;
}

}  // namespace foldline::bench::cuda
