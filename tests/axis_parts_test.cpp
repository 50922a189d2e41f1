// The parts in which a backend does a reduction along an axis: together they are the whole, in its order.
#include "contract/axis_parts.hpp"

#include <gtest/gtest.h>

#include "generators.hpp"

namespace {

using foldline::AxisReduction;

TEST(AxisParts, AreTheWhole) {
  generators::Random random(7);
  for (int round = 0; round < 2000; ++round) {
    AxisReduction all{};
    const std::vector<double> x(1);
    all.terms = foldline::VectorView(x.data(), 1);
    std::byte out{};
    all.out = &out;
    all.out_type = foldline::ElementType::float32;
    all.results = 1;
    const std::int64_t axes = random.between(0, 5);
    for (std::int64_t i = 0; i < axes; ++i) {
      all.axes.push_back({random.between(1, 5), random.between(-50, 50), random.between(-50, 50)});
      all.results *= all.axes.back().extent;
    }
    const std::int64_t most_results = random.log_uniform(100);
    const std::int64_t most_axes = random.between(1, 5);
    std::int64_t next = 0;
    const auto check = [&](const AxisReduction& part, std::int64_t first) {
      ASSERT_EQ(first, next);
      ASSERT_LE(part.results, most_results);
      ASSERT_LE(part.axes.size(), static_cast<std::size_t>(most_axes));
      std::int64_t results = 1;
      for (const foldline::ResultAxis& axis : part.axes) results *= axis.extent;
      ASSERT_EQ(part.results, results);
      for (std::int64_t i = 0; i < part.results; ++i) {
        const foldline::Offset own = offset_of(part.axes, i), expected = offset_of(all.axes, next + i);
        ASSERT_EQ(part.out - all.out + own.out * 4, expected.out * 4);
        ASSERT_EQ(part.terms.at(0) - all.terms.at(0) + own.terms * 8, expected.terms * 8);
      }
      next += part.results;
    };
    for_each_axis_part(all, most_results, static_cast<std::size_t>(most_axes), check);
    ASSERT_EQ(next, all.results);
  }
}

// As many results as no memory holds: of one element that is seen many times.
TEST(AxisParts, OfMoreResultsThanFit32Bits) {
  AxisReduction all{};
  const double x = 0;
  all.terms = foldline::VectorView(&x, 1);
  all.axes = {{std::int64_t{1} << 33, 0, 1}};
  all.results = std::int64_t{1} << 33;
  std::int64_t parts = 0;
  for_each_axis_part(all, std::int64_t{1} << 30, 8, [&](const AxisReduction& part, std::int64_t first) {
    EXPECT_EQ(first, parts << 30);
    EXPECT_EQ(part.results, std::int64_t{1} << 30);
    ++parts;
  });
  EXPECT_EQ(parts, 8);
}

}  // namespace
