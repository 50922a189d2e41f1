// The data, from a counter-based generator: the same for any number of threads and any prefix.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <foldline/types.hpp>

namespace foldline::bench {

/// Names of the kinds of data, the three that are measured by default first:
///   uniform    [0, 1)
///   normal     mean 0, variance 1
///   wide       every exponent of the type alike, subnormals included, both signs, finite
///   sparse     uniform, but 99 of 100 are zero
///   subnormal  both signs
///   infinite   uniform, but one of 1024 is +inf
///   outliers   uniform, but one of 100 is wide
///   ties       of the sums of the first elements half are 1 and the middle of 1 and its neighbour, or differ
///   from that by
///              the type's smallest number
const std::vector<std::string>& data_kinds();

struct Free {
  void operator()(void* memory) const;
};
template <Element T>
using Array = std::unique_ptr<T[], Free>;

/// `size` elements, 64-byte aligned, each page written first by the thread that will read it under a static
/// schedule. Integers are uniform in [0, 2^5) or, those of 64 bits, [0, 2^36), of fewer bits where more than
/// 2^26 or 2^27 of them would not fit the type together, or normal with a deviation of 2^10 or 2^30. Throws
/// std::invalid_argument if the elements are more than a third of the memory, or for a kind that T does not
/// have.
template <Element T>
Array<T> make_array(std::int64_t size, std::string_view kind, std::uint64_t seed);

}  // namespace foldline::bench
