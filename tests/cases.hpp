// Calls of the library, by value instead of by template, with data laid out awkwardly; and random cases made
// of them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device_copy.hpp"
#include "foldline/detail/visit_type.hpp"
#include "foldline/foldline.hpp"
#include "generators.hpp"
#include "oracle.hpp"

namespace cases {

using foldline::Accuracy;
using foldline::Context;
using foldline::ElementType;
using foldline::Operation;
using foldline::Target;
using foldline::VectorView;

/// Calls f with a value of the C++ type that the floating-point `type` stands for.
template <class F>
auto with_type(ElementType type, F f) {
  return foldline::detail::visit_floating(type, [&]<class T>(std::type_identity<T>) { return f(T{}); });
}

template <foldline::FloatingElement T>
std::uint64_t bits_of(T value) {
  if constexpr (std::same_as<T, double>) {
    return std::bit_cast<std::uint64_t>(value);
  } else if constexpr (std::same_as<T, float>) {
    return std::bit_cast<std::uint32_t>(value);
  } else {
    return value.bits;
  }
}

template <foldline::FloatingElement T>
T from_bits(std::uint64_t bits) {
  if constexpr (std::same_as<T, double>) {
    return std::bit_cast<double>(bits);
  } else if constexpr (std::same_as<T, float>) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  } else {
    return T::from_bits(static_cast<std::uint16_t>(bits));
  }
}

/// The values as a vector of their own type; they must be values of it.
template <foldline::FloatingElement T>
std::vector<T> as(std::span<const double> values) {
  std::vector<T> result;
  result.reserve(values.size());
  for (const double value : values)
    result.push_back(from_bits<T>(oracle::encode(value, foldline::element_type_of<T>)));
  return result;
}

/// Calls f with an unsigned integer of `width` bytes.
template <class F>
auto with_width(std::int64_t width, F f) {
  if (width == 1) return f(std::uint8_t{});
  if (width == 2) return f(std::uint16_t{});
  return width == 4 ? f(std::uint32_t{}) : f(std::uint64_t{});
}

/// The values in memory, each in a word.
std::vector<std::uint64_t> encoded(std::span<const double> values, ElementType type);

/// Values in memory with a stride and an odd start. All bytes around and between them are 0xff (NaN, -1,
/// true), so that a kernel that reads what is not its own gives a wrong result.
class Layout {
 public:
  Layout(std::span<const double> values, ElementType type, std::int64_t stride = 1,
         std::int64_t misalignment = 0);
  /// The same of elements as they lie in memory, each in a word.
  static Layout of_words(std::span<const std::uint64_t> words, ElementType type, std::int64_t stride = 1,
                         std::int64_t misalignment = 0);
  VectorView view() const { return view_; }
  /// The same in the memory of a device, if it has one of its own; copied at the first call.
  VectorView view(foldline::Device device) const;

 private:
  Layout() = default;
  void place(std::span<const std::uint64_t> words, ElementType type, std::int64_t stride,
             std::int64_t misalignment);

  std::vector<std::byte> bytes_;
  VectorView view_;
  mutable std::optional<DeviceCopy> copy_;
};

/// Where random cases run: on the CPU, without a choice and with every instruction set, unless a device was
/// chosen.
const std::vector<Context>& processors();
void run_on(foldline::Device device);

/// The bits of what the public function for `operation` returns. y is for the operations on two vectors; for
/// minimum and maximum `result` is float64, since a view's result type is.
std::uint64_t call(Operation operation, const VectorView& x, const VectorView& y, ElementType result,
                   std::int64_t ddof = 0, const Context& context = {});

/// The bits of the fields of foldline::statistics, in the order of oracle::one_vector_operations as far
/// as it has them.
std::vector<std::uint64_t> call_statistics(const VectorView& x, ElementType result, std::int64_t ddof = 0,
                                           const Context& context = {});

/// A data set with its layout and its oracle, all made from one seed; many cases share it.
class Problem {
 public:
  Problem(std::uint64_t seed, ElementType type);

  struct Case {
    Operation operation;
    ElementType result;
    std::int64_t ddof;
    Context context;
  };
  /// Every operation on every target, with results of various types and now and then several threads.
  std::vector<Case> cases();
  /// Calls the library; empty if it is right, and otherwise what is wrong.
  std::string check(const Case& one) const;
  /// Compares the two oracles; empty if they agree.
  std::string check_oracles() const;

  ElementType type() const { return type_; }
  std::string description() const;
  /// Every element, as hexadecimal bits.
  std::string data_in_hex() const;

 private:
  generators::Random random_;
  std::uint64_t seed_;
  ElementType type_;
  generators::Generator generator_;
  std::int64_t stride_x_, stride_y_, misalignment_;
  int threads_;
  generators::Data data_;
  oracle::BigIntegers oracle_;
  std::vector<Layout> layouts_;  // x, y
};

std::string hex(std::uint64_t bits);

}  // namespace cases
