// What follows from "the rounded exact result" whatever the data: the order, the pieces and the scale don't
// matter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cases.hpp"

namespace {

using cases::ElementType;
using cases::Layout;
using cases::Operation;
using foldline::Accumulator;
using generators::Data;
using generators::Generator;
using generators::Random;

constexpr std::array of_statistics = {Operation::sum, Operation::abs_sum, Operation::two_norm,
                                      Operation::mean, Operation::variance};

class Properties : public testing::TestWithParam<ElementType> {
 protected:
  /// Calls check(data, random) for some data sets of every generator.
  void for_all_data(auto check) const {
    Random random(11);
    for (int round = 0; round < 20; ++round)
      for (const Generator generator : generators::all_generators) {
        const Data data = generators::generate(generator, GetParam(), random.log_uniform(3000), random);
        SCOPED_TRACE(name_of(generator));
        check(data, random);
        if (HasFailure()) return;
      }
  }
  std::uint64_t call(Operation operation, const Data& data) const {
    const Layout x(data.x, GetParam()), y(data.y, GetParam());
    return cases::call(operation, x.view(), y.view(), GetParam());
  }
};

INSTANTIATE_TEST_SUITE_P(Types, Properties, testing::ValuesIn(oracle::all_types),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST_P(Properties, PermutationChangesNothing) {
  for_all_data([&](const Data& data, Random& random) {
    std::vector<std::size_t> order(data.x.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    random.shuffle(order);
    Data permuted, reversed = data;
    for (const std::size_t i : order) {
      permuted.x.push_back(data.x[i]);
      permuted.y.push_back(data.y[i]);
    }
    std::reverse(reversed.x.begin(), reversed.x.end());
    std::reverse(reversed.y.begin(), reversed.y.end());
    for (const Operation operation :
         {Operation::sum, Operation::abs_sum, Operation::two_norm, Operation::root_mean_square,
          Operation::mean, Operation::variance, Operation::dot, Operation::weighted_mean,
          Operation::standard_deviation, Operation::standard_error, Operation::range}) {
      const std::uint64_t expected = call(operation, data);
      EXPECT_EQ(call(operation, permuted), expected) << name_of(operation);
      EXPECT_EQ(call(operation, reversed), expected) << name_of(operation);
    }
  });
}

TEST_P(Properties, SplittingAndMergingChangeNothing) {
  for_all_data([&](const Data& data, Random& random) {
    const Layout x(data.x, GetParam()), y(data.y, GetParam());
    const auto size = static_cast<std::int64_t>(data.x.size());
    for (const Operation operation :
         {Operation::sum, Operation::abs_sum, Operation::two_norm, Operation::root_mean_square,
          Operation::mean, Operation::variance, Operation::dot, Operation::weighted_mean,
          Operation::standard_deviation, Operation::standard_error, Operation::range}) {
      const bool two = operation == Operation::dot || operation == Operation::weighted_mean;
      // Some pieces go into the accumulator, some into others that are merged in a random order.
      std::vector<Accumulator> parts(3, Accumulator(operation));
      for (std::int64_t first = 0; first < size;) {
        const std::int64_t count = random.between(0, std::min<std::int64_t>(size - first, 500));
        Accumulator& part = parts[static_cast<std::size_t>(random.between(0, 2))];
        if (two) {
          part.add(x.view().part(first, count), y.view().part(first, count));
        } else {
          part.add(x.view().part(first, count));
        }
        first += count;
      }
      random.shuffle(parts);
      parts[0].merge(parts[1]);
      parts[2].merge(parts[0]);
      EXPECT_EQ(parts[2].count(), size);
      cases::with_type(GetParam(), [&]<class R>(R) {
        EXPECT_EQ(cases::bits_of(parts[2].result<R>(0)), call(operation, data)) << name_of(operation);
      });
    }
  });
}

TEST_P(Properties, StatisticsEqualTheSingleFunctions) {
  for_all_data([&](const Data& data, Random&) {
    const Layout x(data.x, GetParam());
    const auto all = cases::call_statistics(x.view(), GetParam());
    for (std::size_t i = 0; i < of_statistics.size(); ++i)
      EXPECT_EQ(all[i], call(of_statistics[i], data)) << name_of(of_statistics[i]);
  });
}

TEST_P(Properties, NegationNegates) {
  const std::uint64_t sign = std::uint64_t{1} << (oracle::format_of(GetParam()).storage_bits - 1);
  for_all_data([&](const Data& data, Random&) {
    Data negated = data;
    for (double& value : negated.x) value = -value;
    for (const Operation operation :
         {Operation::sum, Operation::mean, Operation::dot, Operation::weighted_mean}) {
      const std::uint64_t before = call(operation, data), after = call(operation, negated);
      const bool unsigned_zero = (before & ~sign) == 0 && (after & ~sign) == 0;
      const bool is_nan = (before & ~sign) > oracle::infinity(GetParam(), false);
      EXPECT_TRUE(unsigned_zero || (is_nan && before == after) || (before ^ sign) == after)
          << name_of(operation);
    }
    for (const Operation operation :
         {Operation::abs_sum, Operation::two_norm, Operation::root_mean_square, Operation::variance,
          Operation::standard_deviation, Operation::standard_error, Operation::range})
      EXPECT_EQ(call(operation, negated), call(operation, data)) << name_of(operation);
  });
}

TEST_P(Properties, ScalingByAPowerOfTwoScales) {
  // Where neither the elements nor the results leave the normal range.
  Random random(12);
  generators::Values values(GetParam(), random);
  const oracle::Format format = values.format();
  for (int round = 0; round < 300; ++round) {
    Data data;
    const std::int64_t size = random.log_uniform(2000);
    for (std::int64_t i = 0; i < size; ++i) {
      data.x.push_back(std::fabs(values.in_binade(random.between(-1, 0))));
      data.y.push_back(std::fabs(values.in_binade(random.between(-1, 0))));
    }
    const auto shift = static_cast<int>(random.between(format.min_exponent + 2, format.max_exponent - 13));
    Data scaled = data;
    for (double& value : scaled.x) value = std::ldexp(value, shift);
    for (const Operation operation :
         {Operation::sum, Operation::abs_sum, Operation::two_norm, Operation::root_mean_square,
          Operation::mean, Operation::dot, Operation::weighted_mean, Operation::standard_deviation,
          Operation::standard_error, Operation::range}) {
      const double before = oracle::decode(call(operation, data), GetParam());
      if (before < 0.5) continue;  // a dot of two small numbers
      EXPECT_EQ(oracle::decode(call(operation, scaled), GetParam()), std::ldexp(before, shift))
          << name_of(operation) << " by 2^" << shift;
    }
    if (HasFailure()) return;
  }
}

TEST_P(Properties, NormIsTheRootOfTheDot) {
  for_all_data([&](const Data& data, Random&) {
    const Layout x(data.x, GetParam());
    Accumulator dot(Operation::dot), norm(Operation::two_norm);
    dot.add(x.view(), x.view());
    norm.add(x.view());
    // Equal before rounding, digit for digit.
    const std::string squares = dot.exact(Operation::dot);
    const std::string root = norm.exact(Operation::two_norm);
    if (squares == "nan" || squares == "inf") {
      EXPECT_EQ(root, squares);
    } else {
      EXPECT_EQ(root, "sqrt(" + squares + ")");
    }
  });
}

}  // namespace
