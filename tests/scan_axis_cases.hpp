// Random scans along an axis, laid out awkwardly, for any function that scans.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "axes_cases.hpp"

namespace axes_cases {

/// How to scan an array.
struct AxisScanCall {
  std::size_t axis;
  bool exclusive;
  foldline::Scalar init;
  foldline::Overflow overflow;
};

/// Scans; false if a result did not fit its integer type.
using AxisScanner = std::function<bool(const ArrayView&, const MutableArrayView&, const AxisScanCall&)>;

/// Scans with the calls that wait.
bool scan_axis(const ArrayView& a, const MutableArrayView& out, const AxisScanCall& call,
               const Context& context);

/// Compares a random scan with the oracle, of floating-point numbers, or with the CPU's, of integers, and
/// what lies around the results with what it was. The arrays are in the memory of the device. What is wrong;
/// empty if nothing.
std::string check_random_axis_scan(std::uint64_t seed, foldline::Device device, const AxisScanner& scanner);

/// So many of these in the host's memory, or a quarter of FOLDLINE_TEST_CASES, until one is wrong, by a
/// function that gets random numbers for choices of its own.
std::string check_random_axis_scans(
    std::uint64_t scans, const std::function<bool(const ArrayView&, const MutableArrayView&,
                                                  const AxisScanCall&, generators::Random&)>& scanner);

}  // namespace axes_cases
