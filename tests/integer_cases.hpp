// Random cases of integers: data that finds mistakes, and calls of every operation on it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cases.hpp"
#include "integer_oracle.hpp"

namespace integer_cases {

using foldline::Context;
using foldline::ElementType;
using foldline::Operation;
using foldline::Overflow;
using foldline::VectorView;
using generators::Random;
using oracle::Answer;
using Words = std::vector<std::uint64_t>;

inline constexpr std::array all_types = {ElementType::int8,   ElementType::int16,  ElementType::int32,
                                         ElementType::int64,  ElementType::uint8,  ElementType::uint16,
                                         ElementType::uint32, ElementType::uint64, ElementType::boolean};
/// What a result may be asked for in: those, and the floating-point types.
inline constexpr std::array all_results = {ElementType::int8,   ElementType::int16,    ElementType::int32,
                                           ElementType::int64,  ElementType::uint8,    ElementType::uint16,
                                           ElementType::uint32, ElementType::uint64,   ElementType::boolean,
                                           ElementType::half,   ElementType::bfloat16, ElementType::float32,
                                           ElementType::float64};

enum class Generator : std::uint8_t {
  random_bits,
  small,         ///< magnitudes of at most a few bits
  extremes,      ///< smallest, largest, and what is next to them, 0 and -1
  all_lowest,    ///< every element the smallest value
  all_highest,   ///< every element the largest value
  alternating,   ///< smallest and largest by turns
  outlier,       ///< zeros and one extreme element
  cancelling,    ///< a sum of zero or next to it
  near_a_limit,  ///< a sum around what some result type just holds
  near_a_tie     ///< a sum around what lies halfway between two floating-point numbers
};
inline constexpr std::array all_generators = {
    Generator::random_bits,  Generator::small,       Generator::extremes, Generator::all_lowest,
    Generator::all_highest,  Generator::alternating, Generator::outlier,  Generator::cancelling,
    Generator::near_a_limit, Generator::near_a_tie};

/// One of an array's elements.
template <class Array>
auto pick(const Array& choices, Random& random) {
  return choices[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(choices.size()) - 1))];
}

/// Elements of a vector, as words; near_a_limit and near_a_tie may need a few more than `size`.
Words generate(Generator generator, ElementType type, std::int64_t size, Random& random);

/// How a result is asked for.
enum class Way : std::uint8_t {
  function,     ///< sum(x) and so on
  statistics,   ///< one of its fields
  accumulator,  ///< one `add`, result by a type chosen at run time
  pieces        ///< several accumulators, stored, read back and merged
};

struct Call {
  Operation operation = Operation::sum;
  ElementType result = ElementType::int64;
  std::int64_t ddof = 0;
  Way way = Way::function;
  Context context = {};
};

/// A type that results of the operation may have.
ElementType random_result(Operation operation, Random& random);

/// What the library answers. `seed` chooses the pieces.
Answer call(const Call& call, const VectorView& x, const VectorView& y, std::uint64_t seed = 0);

/// A data set with its layout and its oracle, all made from one seed; many cases share it.
class Problem {
 public:
  Problem(std::uint64_t seed, ElementType type);

  /// Every operation on every target, with results of various types and now and then several threads.
  std::vector<Call> calls();
  /// Calls the library; empty if it is right, and otherwise what is wrong.
  std::string check(const Call& call) const;

  ElementType type() const { return type_; }
  std::string description() const;

 private:
  Random random_;
  std::uint64_t seed_;
  ElementType type_;
  Generator generator_;
  std::int64_t stride_x_, stride_y_, misalignment_;
  int threads_;
  Words x_, y_;
  oracle::Integers oracle_;
  std::vector<cases::Layout> layouts_;  // x, y
};

/// One random reduction of an array of integers along an axis, all from the seed; empty if every result is
/// right and nothing was written around them, and otherwise what is wrong.
std::string check_random_axis(std::uint64_t seed);

/// One random scan of integers, checked on every processor; empty if it is right, and otherwise what is
/// wrong.
std::string check_random_scan(std::uint64_t seed);

std::string describe(const Call& call);
std::string describe(const Answer& answer);

}  // namespace integer_cases
