// Which arrays have memory in common, against sets of all their bytes; and that reductions along axes refuse
// such outputs.
#include "api/overlap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "foldline/axes.hpp"
#include "foldline/error.hpp"
#include "foldline/scan.hpp"
#include "foldline/where.hpp"
#include "generators.hpp"

namespace {

using foldline::ArrayView;
using foldline::ElementType;
using foldline::InvalidArgument;
using foldline::MutableArrayView;
using foldline::Operation;
using generators::Random;

ArrayView random_view(const std::byte* memory, Random& random) {
  constexpr ElementType types[] = {ElementType::int8, ElementType::half, ElementType::float64};
  std::vector<std::int64_t> shape, strides;
  for (std::int64_t axis = random.between(0, 3); axis > 0; --axis) {
    shape.push_back(random.one_in(20) ? 0 : random.between(1, 5));
    strides.push_back(random.between(-12, 12));
  }
  return {memory + random.between(0, 200), types[random.between(0, 2)], shape, strides};
}

std::set<const std::byte*> bytes_of(const ArrayView& array) {
  std::set<const std::byte*> bytes;
  if (array.size() == 0) return bytes;
  std::vector<std::int64_t> index(array.shape().size(), 0);
  for (;;) {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < index.size(); ++i) offset += index[i] * array.strides()[i];
    for (std::int64_t i = 0; i < size_of(array.type()); ++i)
      bytes.insert(static_cast<const std::byte*>(array.data()) + offset * size_of(array.type()) + i);
    std::size_t axis = 0;
    for (; axis < index.size() && ++index[axis] == array.shape()[axis]; ++axis) index[axis] = 0;
    if (axis == index.size()) return bytes;
  }
}

/// Whether each element has bytes of its own and steps of an axis pass all that narrower ones span.
bool is_nested(const ArrayView& array) {
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;
  for (std::size_t i = 0; i < array.shape().size(); ++i)
    if (array.shape()[i] > 1 && array.strides()[i] != 0)
      axes.emplace_back(std::abs(array.strides()[i]), array.shape()[i]);
  std::ranges::sort(axes);
  std::int64_t span = 1;
  for (const auto& [stride, extent] : axes) {
    if (stride < span) return false;
    span += stride * (extent - 1);
  }
  return true;
}

TEST(Overlap, IsAByteInCommon) {
  Random random(1);
  const std::vector<std::byte> memory(4000);
  int together = 0, apart_within = 0;
  for (int i = 0; i < 100'000; ++i) {
    const ArrayView x = random_view(memory.data() + 1500, random),
                    y = random_view(memory.data() + 1500, random);
    const std::set<const std::byte*> of_x = bytes_of(x), of_y = bytes_of(y);
    const bool in_common =
        std::ranges::any_of(of_x, [&](const std::byte* address) { return of_y.contains(address); });
    const bool said = foldline::have_common_memory(x, y);
    ASSERT_EQ(said, foldline::have_common_memory(y, x)) << "case " << i;
    ASSERT_TRUE(said || !in_common) << "case " << i;
    if (!is_nested(x) && !is_nested(y)) continue;
    ASSERT_EQ(said, in_common) << "case " << i;
    together += in_common;
    apart_within += !in_common && !of_x.empty() && !of_y.empty() && *of_x.begin() < *of_y.rbegin() &&
                    *of_y.begin() < *of_x.rbegin();
  }
  EXPECT_GT(together, 1000);
  EXPECT_GT(apart_within, 1000);  // between each other's elements
}

TEST(Overlap, OfLargeTablesIsSeenAtOnce) {
  const std::int64_t rows = std::int64_t{1} << 40;
  const std::vector<double> memory(8);  // no element is read
  const ArrayView a(memory.data(), {rows, 4}, {5, 1});
  EXPECT_FALSE(foldline::have_common_memory(a, ArrayView(memory.data() + 4, {rows}, {5})));
  EXPECT_FALSE(foldline::have_common_memory(a, ArrayView(memory.data() - 1, {rows}, {5})));
  EXPECT_TRUE(foldline::have_common_memory(a, ArrayView(memory.data() + 3, {rows}, {5})));
}

template <class Call>
void expect_refused(Call call) {
  try {
    call();
    ADD_FAILURE() << "accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("overlap"), std::string::npos) << error.what();
  }
}

TEST(Overlap, OfScansIsJudgedByElementsWhateverTheirSteps) {
  std::vector<double> memory = {1, -1, 2, 0, 3, 0, -1, 0, 5, 0, 6, -1};
  const foldline::VectorView x(memory.data(), 3, 4);                                    // 1, 3, 5
  foldline::inclusive_scan(x, foldline::MutableVectorView(memory.data() + 11, 3, -5));  // 11, 6, 1
  EXPECT_EQ(memory, (std::vector<double>{1, 9, 2, 0, 3, 0, 4, 0, 5, 0, 6, 1}));
  expect_refused([&] { foldline::inclusive_scan(x, foldline::MutableVectorView(memory.data() + 6, 3, -1)); });
}

TEST(Overlap, OfResultsWithWhatIsReducedIsRefused) {
  // A table whose last column is for the sums of the rows.
  std::vector<double> table = {1, 2, NAN, 3, 4, NAN};
  const ArrayView a(table.data(), {2, 2}, {3, 1});
  foldline::reduce_axis(Operation::sum, a, 1, MutableArrayView(table.data() + 2, {2}, {3}));
  EXPECT_EQ(table, (std::vector<double>{1, 2, 3, 3, 4, 7}));
  const MutableArrayView first(table.data(), {2}, {3});
  expect_refused([&] { foldline::reduce_axis(Operation::sum, a, 1, first); });

  std::vector<std::uint8_t> mask = {1, 0, 1, 1};
  const ArrayView where(mask.data(), {2, 2});
  std::vector<std::int64_t> counts(2);
  const MutableArrayView out(table.data() + 2, {2}, {3}), taken(counts.data(), {2});
  foldline::reduce_axes_where(Operation::sum, a, where, {1}, out, taken);
  EXPECT_EQ(table, (std::vector<double>{1, 2, 1, 3, 4, 7}));
  const auto reduce = [&](const MutableArrayView& results, const MutableArrayView& numbers) {
    foldline::reduce_axes_where(Operation::sum, a, where, {1}, results, numbers);
  };
  expect_refused([&] { reduce(first, taken); });
  expect_refused([&] { reduce(MutableArrayView(mask.data(), {2}), taken); });
  expect_refused(
      [&] { reduce(out, MutableArrayView(reinterpret_cast<std::int64_t*>(table.data() + 1), {2})); });
  expect_refused([&] { reduce(MutableArrayView(counts.data(), {2}), taken); });
}

}  // namespace
