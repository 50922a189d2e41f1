// Reductions of integers along an axis on a GPU: the bits of the CPU, whose are the oracle's.
#include <array>
#include <utility>
#include <vector>

#include "axes_fixture.hpp"
#include "integer_cases.hpp"

namespace {

using namespace cuda_test;

constexpr std::array operations = {Operation::sum,
                                   Operation::abs_sum,
                                   Operation::mean,
                                   Operation::two_norm,
                                   Operation::variance,
                                   Operation::standard_deviation,
                                   Operation::standard_error,
                                   Operation::root_mean_square,
                                   Operation::minimum,
                                   Operation::maximum,
                                   Operation::range};

/// Along `axis` of an array whose vectors are each of some kind; on every third element of results, too.
void compare_all(const Placement& placement, std::size_t axis, ElementType type, std::int64_t ddof,
                 Random& random) {
  Memory array(placement, type);
  const Extents& shape = placement.shape;
  const Extents rest = without(shape, axis);
  Extents index(rest.size(), 0);
  auto generator = pick(integer_cases::all_generators, random);
  do {
    if (random.one_in(3)) generator = pick(integer_cases::all_generators, random);
    auto words = integer_cases::generate(generator, type, shape[axis], random);
    words.resize(static_cast<std::size_t>(shape[axis]));
    array.set_line(axis, index, words);
  } while (axes_cases::advance(index, rest));
  for (const Operation operation : operations)
    for (const ElementType result : {ElementType::float64, ElementType::float32, ElementType::half,
                                     ElementType::bfloat16, ElementType::int64, type}) {
      const bool is_whole = operation == Operation::sum || operation == Operation::abs_sum ||
                            operation == Operation::minimum || operation == Operation::maximum ||
                            operation == Operation::range;
      if (!is_floating(result) && !is_whole) continue;
      Memory expected(axes_cases::dense(rest), result), actual(axes_cases::dense(rest), result);
      const auto along = static_cast<std::int64_t>(axis);
      const std::int64_t less = oracle::has_ddof(operation) ? ddof : 0;
      bool fits = true;
      try {
        array.reduce(operation, along, expected, less, {});
      } catch (const foldline::OverflowError&) {
        fits = false;
      }
      if (!fits) {
        EXPECT_THROW(array.reduce(operation, along, actual, less, on_gpu), foldline::OverflowError);
        continue;
      }
      array.reduce(operation, along, actual, less, on_gpu);
      Extents at(rest.size(), 0);
      do {
        ASSERT_EQ(actual.bits(at), expected.bits(at))
            << name_of(operation) << " of " << name_of(type) << " as " << name_of(result) << ", " << shape[0]
            << " x " << shape[1] << " along axis " << axis << ", " << at.front();
        actual.set_bits(at, UINT64_MAX);
      } while (axes_cases::advance(at, rest));
      ASSERT_TRUE(actual.is_blank()) << name_of(operation);
    }
}

TEST_F(CudaAxes, IntegersOfEveryTypeLayoutAndKind) {
  for (const ElementType type : integer_cases::all_types)
    for (const auto& [shape, axis] : {std::pair{Extents{900, 1}, 1u},   std::pair{Extents{900, 2}, 1u},
                                      std::pair{Extents{700, 7}, 1u},   std::pair{Extents{700, 16}, 1u},
                                      std::pair{Extents{300, 100}, 1u}, std::pair{Extents{40, 255}, 1u},
                                      std::pair{Extents{30, 1001}, 1u}, std::pair{Extents{3, 40'001}, 1u},
                                      std::pair{Extents{1, 900}, 0u},   std::pair{Extents{2, 900}, 0u},
                                      std::pair{Extents{4, 1003}, 0u},  std::pair{Extents{7, 600}, 0u},
                                      std::pair{Extents{16, 600}, 0u},  std::pair{Extents{17, 300}, 0u},
                                      std::pair{Extents{301, 100}, 0u}, std::pair{Extents{4000, 7}, 0u},
                                      std::pair{Extents{3000, 16}, 0u}, std::pair{Extents{9001, 3}, 0u},
                                      std::pair{Extents{8195, 6}, 0u},  std::pair{Extents{12'000, 20}, 0u},
                                      std::pair{Extents{8192, 7}, 0u}})
      for (const bool is_aligned : {true, false}) {
        Placement placement = axes_cases::dense(shape);
        if (!is_aligned) {
          placement.strides[0] += 3;
          placement.misalignment = size_of(type);
        }
        compare_all(placement, axis, type, random_.between(0, 2), random_);
        if (HasFatalFailure()) return;
      }
}

// Sums of many of the largest and the smallest elements, and variances beyond what products of lengths as
// doubles can tell.
TEST_F(CudaAxes, LongVectorsOfExtremeIntegers) {
  constexpr std::int64_t length = (std::int64_t{1} << 26) + 12'345;
  for (const ElementType type :
       {ElementType::int8, ElementType::uint16, ElementType::int32, ElementType::uint32}) {
    Memory array(axes_cases::dense({1, length}), type);
    const std::uint64_t lowest = is_signed(type) ? std::uint64_t{1} << (8 * size_of(type) - 1) : 0;
    for (const std::uint64_t middle : {lowest, lowest - 1}) {
      std::vector<std::uint64_t> words(length, lowest - 1);
      for (std::size_t i = 0; i < words.size(); i += 3) words[i] = middle;
      array.set_line(1, {0}, words);
      for (const Operation operation : operations)
        for (const std::int64_t ddof : {0, 1}) {
          const std::int64_t less = oracle::has_ddof(operation) ? ddof : 0;
          Memory expected(axes_cases::dense({1}), ElementType::float64),
              actual(axes_cases::dense({1}), ElementType::float64);
          array.reduce(operation, 1, expected, less, {});
          array.reduce(operation, 1, actual, less, on_gpu);
          ASSERT_EQ(actual.bits({0}), expected.bits({0})) << name_of(operation) << " of " << name_of(type);
        }
    }
  }
}

// 2^-22 less than the middle of two floats, where doubles are 2^-22 apart.
TEST_F(CudaAxes, AVarianceOfIntegersNextToTheMiddleOfTwoFloats) {
  std::vector<std::int16_t> elements = {32762, 32746, -31976, -32507};
  for (std::int16_t i = 0; i < 1022; ++i) {
    const auto x = static_cast<std::int16_t>(i < 528 ? 32765 : 32764);
    elements.insert(elements.end(), {x, static_cast<std::int16_t>(-x)});
  }
  std::vector<std::uint64_t> words;
  for (const std::int16_t x : elements) words.push_back(static_cast<std::uint16_t>(x));
  const auto length = static_cast<std::int64_t>(words.size());
  for (const std::size_t axis : {0, 1}) {
    Memory array(axes_cases::dense(axis == 0 ? Extents{length, 5} : Extents{5, length}), ElementType::int16);
    for (std::int64_t i = 0; i < 5; ++i) array.set_line(axis, {i}, words);
    for (const ElementType result : {ElementType::float32, ElementType::bfloat16}) {
      Memory expected(axes_cases::dense({5}), result), actual(axes_cases::dense({5}), result);
      array.reduce(Operation::variance, static_cast<std::int64_t>(axis), expected, 1, {});
      array.reduce(Operation::variance, static_cast<std::int64_t>(axis), actual, 1, on_gpu);
      for (std::int64_t i = 0; i < 5; ++i)
        ASSERT_EQ(actual.bits({i}), expected.bits({i})) << axis << ' ' << i;
    }
  }
}

}  // namespace
