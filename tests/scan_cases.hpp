// Scans with awkward data, types, layouts, threads and cuts, compared element by element with the oracle.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cases.hpp"

namespace cases {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Memory for results with a stride and an odd start, all of it poisoned; knows whether anything else was
/// written.
class OutputLayout {
 public:
  OutputLayout(std::int64_t size, ElementType type, std::int64_t stride = 1, std::int64_t misalignment = 0);
  foldline::MutableVectorView view();
  /// The same in the memory of a device, if it has one of its own: a copy of what is here now.
  foldline::MutableVectorView view(foldline::Device device);
  /// Takes back what was written there.
  void fetch();
  /// Writes elements as they lie in memory, for a scan in place.
  void write(std::span<const std::uint64_t> words);
  /// The bits of the results.
  std::vector<std::uint64_t> results() const;
  bool padding_is_untouched() const;

 private:
  bool is_untouched(std::int64_t first, std::int64_t last) const;
  std::byte* at(std::int64_t i) { return bytes_.data() + start_ + i * step_; }
  const std::byte* at(std::int64_t i) const { return bytes_.data() + start_ + i * step_; }

  std::int64_t size_, stride_, element_size_, step_, start_;
  ElementType type_;
  std::vector<std::byte> bytes_;
  std::optional<DeviceCopy> copy_;
};

/// Where the first difference is; empty if there is none.
std::string difference(std::span<const std::uint64_t> actual, std::span<const std::uint64_t> expected);

/// Elements of `type` whose prefix sums are halfway, or a tiny bit away from halfway, between results of type
/// `result`.
std::vector<double> ties_everywhere(ElementType type, ElementType result, std::int64_t size,
                                    generators::Random& random);

/// The inclusive scan of a vector.
std::vector<double> scanned(const std::vector<double>& x, const Context& context = {});

/// Makes a random scan and checks it on every processor; false, and what is wrong in `failure`, if it is.
bool check_random_scan_case(std::uint64_t seed, std::string& failure);

}  // namespace cases
