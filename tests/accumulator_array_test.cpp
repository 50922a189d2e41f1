// Arrays of accumulators: the same states, byte for byte, as accumulators one by one.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "cases.hpp"

namespace {

using cases::ElementType;
using cases::Layout;
using cases::Operation;
using foldline::Accumulator;
using foldline::AccumulatorArray;
using foldline::InvalidArgument;
using foldline::VectorView;
using generators::Data;
using generators::Generator;
using generators::Random;

constexpr std::array all_operations = {
    Operation::sum,     Operation::abs_sum,  Operation::two_norm,  Operation::root_mean_square,
    Operation::mean,    Operation::variance, Operation::dot,       Operation::weighted_mean,
    Operation::minimum, Operation::maximum,  Operation::statistics};

bool takes_two(Operation operation) {
  return operation == Operation::dot || operation == Operation::weighted_mean;
}

/// Adds element by element: every piece of the vectors to the accumulator that `indices` names.
std::vector<Accumulator> one_by_one(Operation operation, const VectorView& x, const VectorView& y,
                                    const std::vector<std::uint32_t>& indices, std::size_t groups) {
  std::vector<Accumulator> result(groups, Accumulator(operation));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (takes_two(operation))
      result[indices[i]].add(x.part(at, 1), y.part(at, 1));
    else
      result[indices[i]].add(x.part(at, 1));
  }
  return result;
}

void add(AccumulatorArray& array, std::span<const std::uint32_t> indices, const VectorView& x,
         const VectorView& y) {
  takes_two(array.operation()) ? array.add(indices, x, y) : array.add(indices, x);
}
void add(AccumulatorArray& array, std::int64_t index, const VectorView& x, const VectorView& y) {
  takes_two(array.operation()) ? array.add(index, x, y) : array.add(index, x);
}

/// All states, and those of the data cut in two and merged, and of whole vectors.
void expect_the_same(Operation operation, const VectorView& x, const VectorView& y, std::size_t groups,
                     Random& random) {
  std::vector<std::uint32_t> indices(static_cast<std::size_t>(x.size()));
  for (std::uint32_t& index : indices)
    index = static_cast<std::uint32_t>(random.between(0, static_cast<std::int64_t>(groups) - 1));
  const std::vector<Accumulator> expected = one_by_one(operation, x, y, indices, groups);
  const auto size = static_cast<std::int64_t>(groups);
  AccumulatorArray array(operation, size), second(operation, size);
  const std::int64_t cut = random.between(0, x.size()), rest = x.size() - cut;
  const std::span all(indices);
  add(array, all.first(static_cast<std::size_t>(cut)), x.part(0, cut), y.part(0, cut));
  add(second, all.subspan(static_cast<std::size_t>(cut)), x.part(cut, rest), y.part(cut, rest));
  add(second, size - 1, x, y);
  Accumulator last = expected.back();
  takes_two(operation) ? last.add(x, y) : last.add(x);
  for (std::size_t i = 0; i < groups; ++i) {
    const auto at = static_cast<std::int64_t>(i);
    array.merge(at, second, at);
    const Accumulator& right = i + 1 == groups ? last : expected[i];
    EXPECT_EQ(array.count(at), right.count());
    EXPECT_EQ(array.at(at).serialise(), right.serialise()) << name_of(operation) << " of group " << i;
  }
}

TEST(AccumulatorArrays, HoldTheSameStates) {
  Random random(61);
  for (const Generator generator : generators::all_generators)
    for (const ElementType type : oracle::all_types) {
      const Data data = generators::generate(generator, type, random.log_uniform(400), random);
      const Layout x(data.x, type, 2, 1), y(data.y, type, 3);
      for (const Operation operation : all_operations)
        expect_the_same(operation, x.view(), y.view(), static_cast<std::size_t>(random.log_uniform(40)),
                        random);
      if (HasFailure()) FAIL() << name_of(generator) << ' ' << name_of(type);
    }
}

template <class T>
void expect_the_same_integers(Random& random) {
  std::vector<T> x(static_cast<std::size_t>(random.log_uniform(300))), y(x.size());
  const int kept = static_cast<int>(random.between(0, 63));
  for (std::vector<T>* vector : {&x, &y})
    for (T& value : *vector)
      value = random.one_in(9)
                  ? (random.coin() ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min())
                  : static_cast<T>(static_cast<std::int64_t>(random.bits()) >> kept);
  for (const Operation operation : all_operations)
    expect_the_same(operation, VectorView(x), VectorView(y), static_cast<std::size_t>(random.log_uniform(9)),
                    random);
}

TEST(AccumulatorArrays, HoldIntegers) {
  Random random(62);
  for (int round = 0; round < 10; ++round) {
    expect_the_same_integers<std::int8_t>(random);
    expect_the_same_integers<std::uint8_t>(random);
    expect_the_same_integers<std::int16_t>(random);
    expect_the_same_integers<std::uint16_t>(random);
    expect_the_same_integers<std::int32_t>(random);
    expect_the_same_integers<std::uint32_t>(random);
    expect_the_same_integers<std::int64_t>(random);
    expect_the_same_integers<std::uint64_t>(random);
  }
}

/// 2^e and -2^e in every order of exponents that a window follows, or cannot follow any more.
TEST(AccumulatorArrays, FollowEveryExponent) {
  for (const Operation operation :
       {Operation::sum, Operation::two_norm, Operation::root_mean_square, Operation::statistics})
    for (const int step : {1, 7, 37, 60, 61, 62, 63, 64, 120, 125, 126, 127, 128, 254, 255, 600, 2000})
      for (const bool up : {false, true}) {
        std::vector<double> values;
        for (int e = -1074; e < 1024; e += step) {
          values.push_back(std::ldexp(1.0, e));
          values.push_back(std::nextafter(-std::ldexp(1.0, e), 0));
          values.push_back(std::ldexp(1.0, e));
        }
        values.push_back(std::numeric_limits<double>::max());
        values.push_back(std::numeric_limits<double>::denorm_min());
        if (!up) std::ranges::reverse(values);
        AccumulatorArray array(operation, 1);
        Accumulator expected(operation);
        const std::vector<std::uint32_t> zero = {0};
        for (const double& value : values) {
          const VectorView one(&value, 1);
          array.add(zero, one);
          expected.add(one);
          ASSERT_EQ(array.at(0).serialise(), expected.serialise()) << value << " by steps of " << step;
        }
      }
}

TEST(AccumulatorArrays, CancelToNothingAndGoOn) {
  AccumulatorArray array(Operation::sum, 2);
  for (int e = -1000; e <= 1000; e += 100) {
    const std::vector<double> values = {std::ldexp(1.5, e), -std::ldexp(1.5, e)};
    const std::vector<std::uint32_t> zeros = {0, 0};
    array.add(zeros, values);
    EXPECT_EQ(array.at(0).result<double>(), 0.0);
  }
  EXPECT_LT(array.bytes(), 20'000) << "what cancels needs no more than a window";
}

TEST(AccumulatorArrays, TakeLittleMemory) {
  const auto bytes_of_each = [](Operation operation) {
    AccumulatorArray array(operation, 100'000);
    std::vector<std::uint32_t> indices(100'000);
    std::iota(indices.begin(), indices.end(), 0u);
    Random random(63);
    std::vector<double> values(indices.size());
    for (int round = 0; round < 5; ++round) {
      for (double& value : values) value = std::round(1e6 * random.real()) / 100 - 1000;
      takes_two(operation) ? array.add(indices, values, values) : array.add(indices, values);
    }
    return static_cast<double>(array.bytes()) / 1e5;
  };
  EXPECT_LE(bytes_of_each(Operation::sum), 33);
  EXPECT_LE(bytes_of_each(Operation::mean), 33);
  EXPECT_LE(bytes_of_each(Operation::variance), 74);
  EXPECT_LE(bytes_of_each(Operation::weighted_mean), 74);
  EXPECT_LE(bytes_of_each(Operation::statistics), 130);
}

TEST(AccumulatorArrays, GrowAndStayEmpty) {
  AccumulatorArray array(Operation::mean);
  EXPECT_EQ(array.size(), 0);
  array.resize(1000);
  array.add(999, std::vector<double>{1, 2});
  array.resize(100'000);
  EXPECT_EQ(array.at(999).result<double>(), 1.5);
  EXPECT_TRUE(std::isnan(array.at(99'999).result<double>()));
  EXPECT_EQ(array.count(0), 0);
}

TEST(AccumulatorArrays, RefuseWhatMakesNoSense) {
  AccumulatorArray array(Operation::sum, 3);
  const std::vector<double> values = {1, 2};
  const std::vector<std::uint32_t> beyond = {0, 3}, one = {0};
  EXPECT_THROW(array.add(beyond, values), InvalidArgument);
  EXPECT_THROW(array.add(one, values), InvalidArgument);
  EXPECT_THROW(array.add(-1, values), InvalidArgument);
  EXPECT_THROW(array.add(3, values), InvalidArgument);
  EXPECT_THROW(array.add(0, values, values), InvalidArgument);
  EXPECT_THROW(array.resize(2), InvalidArgument);
  EXPECT_THROW(array.resize(std::int64_t{1} << 32), InvalidArgument);
  EXPECT_THROW((void)array.at(3), InvalidArgument);
  EXPECT_THROW(array.merge(0, AccumulatorArray(Operation::mean, 1), 0), InvalidArgument);
  EXPECT_THROW(AccumulatorArray(Operation::sum, -1), InvalidArgument);
  EXPECT_EQ(array.count(0), 0);
}

}  // namespace
