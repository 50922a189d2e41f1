// Reductions along an axis, laid out awkwardly, with what they must give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "foldline/foldline.hpp"
#include "generators.hpp"
#include "oracle.hpp"

namespace axes_cases {

using foldline::ArrayView;
using foldline::Context;
using foldline::ElementType;
using foldline::MutableArrayView;
using foldline::Operation;

using Extents = std::vector<std::int64_t>;

/// How an array lies in memory.
struct Placement {
  Extents shape;
  Extents strides;                ///< in elements; any sign, or zero
  std::int64_t misalignment = 0;  ///< in bytes
};

/// A dense array in row-major order.
Placement dense(const Extents& shape);
/// A random order of axes, with gaps, negative strides and odd addresses now and then; distinct elements if
/// asked.
Placement random_placement(const Extents& shape, bool distinct, generators::Random& random);

/// An array whose every byte that is no element is 0xff, NaN: a kernel that reads what is not its own gives a
/// wrong result, and one that writes there is found out.
class Memory {
 public:
  Memory(const Placement& placement, ElementType type);

  const ArrayView& view() const { return view_; }
  MutableArrayView mutable_view() { return {origin_, type_, view_.shape(), view_.strides()}; }
  std::uint64_t bits(const Extents& index) const;
  void set_bits(const Extents& index, std::uint64_t bits);
  /// The elements along an axis, at the place `rest` of the other axes.
  void get_line(std::size_t axis, const Extents& rest, std::vector<std::uint64_t>& words) const;
  void set_line(std::size_t axis, const Extents& rest, std::span<const std::uint64_t> words);
  void set(const Extents& index, double value) { set_bits(index, oracle::encode(value, type_)); }
  /// Whether every byte is 0xff.
  bool is_blank() const;

  /// Reduces this array into the memory of another one: both in the memory of the context's device if it has
  /// some of its own, but for one array in eight, which the library copies there.
  void reduce(Operation operation, std::int64_t axis, Memory& results, std::int64_t ddof,
              const Context& context) const;
  /// Calls with views of this array and of `results`, which may be the same, in the memory of a device.
  void call_on(foldline::Device device, Memory& results,
               const std::function<void(const ArrayView&, const MutableArrayView&)>& call);

 private:
  std::byte* at(const Extents& index) const;
  /// Where element 0 of a line is.
  std::byte* start_of(std::size_t axis, const Extents& rest) const;

  ElementType type_;
  std::vector<std::byte> bytes_;
  std::byte* origin_;  ///< the element of index 0
  ArrayView view_;
};

/// The next index in row-major order; false after the last one.
bool advance(Extents& index, const Extents& shape);

/// What to do to an array.
struct Call {
  Operation operation;
  std::int64_t axis;
  ElementType result;
  std::int64_t ddof = 0;
  Context context;
};

/// Reduces the array into memory of the placement given, and compares every result with the oracle and every
/// byte around them with what it was. Empty if all is right, and otherwise what is wrong.
std::string check(const Memory& array, const Call& call, const Placement& out);

/// Fills an array: every vector along the axis from one generator, from its own, or all of them with odd ones
/// between.
void fill(Memory& array, std::int64_t axis, ElementType type, generators::Random& random);

/// One random array and call, all from the seed; false and a description if the result is wrong.
bool check_random_axes_case(std::uint64_t seed, std::string& failure);

}  // namespace axes_cases
