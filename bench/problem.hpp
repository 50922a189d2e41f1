// Problems: one operation on one pair of arrays.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <foldline/context.hpp>
#include <foldline/types.hpp>

namespace foldline::bench {

/// Fewer elements are not worth several threads: to start them takes as long as the sum.
inline constexpr std::int64_t worth_sharing = std::int64_t{1} << 14;

template <Element T>
struct Problem {
  const T* x_data;
  const T* y_data;  ///< null for the types that have no operation on two vectors here
  std::int64_t size;
  int threads;

  std::span<const T> x() const { return {x_data, static_cast<std::size_t>(size)}; }
  std::span<const T> y() const { return {y_data, static_cast<std::size_t>(size)}; }

  /// With several threads foldline chooses how many to use, as its peers do: the limit applies to OpenMP,
  /// OpenBLAS and TBB alike.
  Context context(Accuracy accuracy = Accuracy::exact) const {
    return {.accuracy = accuracy, .execution = {.threads = threads == 1 ? 1 : 0}};
  }
};

/// Special numbers of threads: the group runs on a GPU, its calls in a CUDA graph, or one after the other
/// into a stream, where for short calls the host's part shows.
inline constexpr int on_gpu = 0, in_stream = -1;

/// "2" or, on a GPU, "cuda" or "stream".
inline std::string threads_text(int threads) {
  return threads == on_gpu ? "cuda" : threads == in_stream ? "stream" : std::to_string(threads);
}

/// The name and the numbers of a group of contestants that compete.
struct Case {
  std::string operation;
  ElementType type;
  std::int64_t size;
  int threads;
  std::string data;
  std::int64_t bytes;   ///< that one call must read, or read and write, at least
  bool writes = false;  ///< a vector as long as the one it reads

  bool operator==(const Case&) const = default;
};

/// "sum/float64/4096/1/uniform" or, on a GPU, "sum/float64/4096/cuda/uniform": what --filter is matched
/// against.
inline std::string name_of(const Case& group) {
  return group.operation + '/' + std::string(name_of(group.type)) + '/' + std::to_string(group.size) + '/' +
         threads_text(group.threads) + '/' + group.data;
}

}  // namespace foldline::bench
