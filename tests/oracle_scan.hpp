// What the right prefix sums are: a running GMP integer, rounded by the oracle after every element.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oracle.hpp"

namespace oracle {

/// The prefix sums in `type`, as bits: of x_0 .. x_i, or of init, x_0 .. x_(i-1) for an exclusive scan.
std::vector<std::uint64_t> inclusive_scan(std::span<const double> x, ElementType type);
std::vector<std::uint64_t> exclusive_scan(std::span<const double> x, double init, ElementType type);

}  // namespace oracle
