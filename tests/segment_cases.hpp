// Random reductions of segments and of groups, laid out awkwardly, with what they must give.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "integer_cases.hpp"

namespace segment_cases {

using foldline::Context;
using foldline::ElementType;
using foldline::Operation;
using generators::Random;
using integer_cases::Words;

/// Lengths of segments: many short ones, empty ones, a few long ones.
std::vector<std::int64_t> random_lengths(std::int64_t count, std::int64_t longest, Random& random);

/// Elements of any type, as words: vectors of its generators one after another.
Words random_values(ElementType type, std::int64_t size, Random& random);

/// One random call of reduce_segments, or of reduce_by_key, with everything from the seed; empty if every
/// result is right and nothing was written around them, and otherwise what is wrong.
std::string check_random_segments(std::uint64_t seed);
std::string check_random_groups(std::uint64_t seed);
/// The same of reduce_where.
std::string check_random_mask(std::uint64_t seed);
/// The same of reduce_axes_where.
std::string check_random_masked_axes(std::uint64_t seed);

}  // namespace segment_cases
