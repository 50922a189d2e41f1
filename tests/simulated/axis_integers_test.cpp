// The kernels that add integers along an axis, run by the simulator: every operation on every type and
// layout, bit for bit against GMP. Races, reads of what nobody has written, and accesses out of bounds are
// found, too.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <simt/simt.hpp>
#include <sstream>

#include "axis_workspace.hpp"
#include "integer_cases.hpp"

namespace {

using foldline::AxisReduction;
using foldline::ElementType;
using foldline::name_of;
using foldline::Operation;
using foldline::Overflow;
using foldline::cuda::AxisTask;
using foldline::cuda::DirectLayout;
using integer_cases::describe;
using integer_cases::pick;
using integer_cases::Random;
using integer_cases::random_result;
using integer_cases::Words;
using oracle::Answer;
using simulated::DeviceBytes;
using simulated::retried;
using simulated::Workspace;

/// Vectors beside each other in memory (`inner`), and groups of these one after another.
struct Shape {
  std::int64_t outer, length, inner;
  std::int64_t gap;   // elements between two groups
  std::int64_t head;  // elements before the first one
  std::int64_t step;  // between neighbours
};

Shape random_shape(ElementType type, Random& random) {
  if (random.one_in(12))  // many rows, some of which are seen as one
    return {1, random.between(8190, 8600), random.between(2, 12), 0, random.one_in(4) ? 1 : 0, 1};
  const std::int64_t most = 6000 / size_of(type);
  Shape shape{1,
              1,
              1,
              random.one_in(3) ? random.between(1, 9) : 0,
              random.one_in(3) ? random.between(1, 17) : 0,
              random.one_in(4) ? random.between(2, 3) : 1};
  switch (random.between(0, 4)) {
    case 0:  // short rows
      shape.length = random.between(1, 256 / size_of(type));
      shape.gap = 0;
      break;
    case 1:  // rows
      shape.length = random.log_uniform(random.one_in(4) ? 40 * most : 3 * most) + 1;
      break;
    case 2:  // few rows of columns
      shape.length = random.between(2, 16);
      shape.inner = random.log_uniform(700) + 1;
      break;
    default:
      shape.length = random.log_uniform(600) + 1;
      shape.inner = random.log_uniform(60) + 1;
  }
  shape.outer = std::max<std::int64_t>(1, random.log_uniform(2 * most / (shape.length * shape.inner) + 1));
  return shape;
}

void launch(const AxisTask& task) {
  switch (size_of(task.type)) {
    case 1:
      return launch_direct_int8(task, nullptr);
    case 2:
      return launch_direct_int16(task, nullptr);
    case 4:
      return launch_direct_int32(task, nullptr);
    default:
      return launch_direct_int64(task, nullptr);
  }
}

struct Counts {
  int cases = 0, results = 0, retried = 0, folded = 0;
  std::set<DirectLayout> layouts, shared;  // what there was, and with several blocks for a vector
};

void check_random_case(std::uint64_t seed, Counts& counts) {
  Random random(seed);
  const ElementType type = pick(integer_cases::all_types, random);
  const Shape shape = random_shape(type, random);
  const std::int64_t width = size_of(type), group = (shape.length * shape.inner + shape.gap) * shape.step;
  const auto generator = pick(integer_cases::all_generators, random);
  std::vector<Words> vectors;
  std::vector<std::byte> elements(static_cast<std::size_t>((group * shape.outer + shape.head) * width));
  for (std::int64_t i = 0; i < shape.outer * shape.inner; ++i) {
    Words words = generate(random.one_in(8) ? pick(integer_cases::all_generators, random) : generator, type,
                           shape.length, random);
    words.resize(static_cast<std::size_t>(shape.length));
    for (std::int64_t k = 0; k < shape.length; ++k) {
      const std::int64_t at =
          shape.head + i / shape.inner * group + (i % shape.inner + k * shape.inner) * shape.step;
      std::memcpy(&elements[static_cast<std::size_t>(at * width)], &words[static_cast<std::size_t>(k)],
                  static_cast<std::size_t>(width));
    }
    vectors.push_back(std::move(words));
  }
  const DeviceBytes array(elements.size(), 0);
  cudaMemcpy(array.get(), elements.data(), elements.size(), cudaMemcpyHostToDevice);

  const auto operation = pick(oracle::one_vector_operations, random);
  const ElementType result = random_result(operation, random);
  const auto overflow = random.coin() ? Overflow::wrap : Overflow::error;
  const std::int64_t ddof = oracle::has_ddof(operation) ? random.between(0, 2) : 0,
                     out_width = size_of(result), out_gap = random.one_in(3) ? 1 : 0,
                     results = shape.outer * shape.inner;
  const DeviceBytes out(static_cast<std::size_t>(results * out_width * (1 + out_gap)), 0xff);
  AxisReduction reduction{
      .operation = operation,
      .ddof = ddof,
      .terms = {array.get() + shape.head * width, type, shape.length, shape.inner * shape.step},
      .axes = {},
      .results = results,
      .out = out.get(),
      .out_type = result,
      .overflow = overflow,
      .failure = nullptr};
  const std::int64_t out_step = 1 + out_gap;
  if (shape.inner == 1) {
    reduction.axes = {{shape.outer, group, out_step}};
  } else {
    if (shape.outer > 1) reduction.axes.push_back({shape.outer, group, shape.inner * out_step});
    reduction.axes.push_back({shape.inner, shape.step, out_step});
  }
  AxisTask task = foldline::cuda::unplanned_task(reduction);
  foldline::cuda::plan_direct(task, {.multiprocessors = static_cast<int>(random.between(1, 8)),
                                     .l2_bytes = 1 << 20,
                                     .shared_bytes = 200 << 10});
  if (task.direct.layout == DirectLayout::none) return;
  const Workspace workspace(task);
  simt::options().order = static_cast<simt::Order>(random.between(0, 2));
  simt::options().seed = random.bits();
  launch(task);

  const std::set<std::int64_t> left = retried(workspace.list, task.direct.unit);
  const std::vector<std::byte> actual = out.content();
  std::ostringstream what;
  what << name_of(operation) << " of " << name_of(type) << " in " << name_of(result) << ", " << shape.outer
       << " x " << shape.length << " x " << shape.inner << ", seed " << seed << ", result ";
  ++counts.cases;
  counts.layouts.insert(task.direct.layout);
  counts.folded += task.direct.fold > 1 ? 1 : 0;
  if (task.direct.splits > 1) counts.shared.insert(task.direct.layout);
  for (std::int64_t i = 0; i < results; ++i) {
    oracle::Integers oracle;
    oracle.load(type, vectors[static_cast<std::size_t>(i)]);
    const Answer expected = oracle.result(operation, result, ddof, overflow);
    Answer answer{Answer::Kind::value, 0};
    std::memcpy(&answer.bits, &actual[static_cast<std::size_t>(i * out_width * out_step)],
                static_cast<std::size_t>(out_width));
    ++counts.results;
    const bool is_left = left.contains(i);
    const std::uint64_t blank = ~std::uint64_t{0} >> (64 - 8 * out_width);
    if (is_left && answer.bits == blank) {
      ++counts.retried;
      ASSERT_FALSE(task.direct.is_certain) << what.str() << i;
      continue;
    }
    ASSERT_EQ(answer, expected) << what.str() << i << ": " << describe(answer) << ", must be "
                                << describe(expected);
  }
  for (const std::byte byte : workspace.tickets.content()) ASSERT_EQ(byte, std::byte{0}) << what.str();
}

TEST(SimulatedAxis, RandomIntegersAgainstTheOracle) {
  simt::options().trace = simt::options().lines = false;
  const char* const text = std::getenv("FOLDLINE_TEST_CASES");
  const int cases = text == nullptr ? 400 : std::max(1, std::atoi(text));
  Counts counts;
  for (int i = 0; i < cases; ++i) {
    check_random_case(Random(static_cast<std::uint64_t>(i)).bits(), counts);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(counts.cases, cases / 2);
  EXPECT_LT(counts.retried, counts.results / 8);
  EXPECT_EQ(counts.layouts.size(), 7u);
  EXPECT_GT(counts.folded, cases / 50);
  EXPECT_EQ(counts.shared.size(), 3u);  // rows, columns, scattered ones
}

// A variance that is 2^-22 less than the middle of two floats, where doubles are 2^-22 apart.
TEST(SimulatedAxis, AVarianceNextToTheMiddleOfTwoFloats) {
  std::vector<std::int16_t> elements = {32762, 32746, -31976, -32507};
  for (std::int16_t i = 0; i < 1022; ++i) {
    const auto x = static_cast<std::int16_t>(i < 528 ? 32765 : 32764);
    elements.insert(elements.end(), {x, static_cast<std::int16_t>(-x)});
  }
  const auto length = static_cast<std::int64_t>(elements.size());
  const std::size_t bytes = elements.size() * sizeof elements.front();
  const DeviceBytes array(bytes, 0), out(4, 0xff);
  cudaMemcpy(array.get(), elements.data(), bytes, cudaMemcpyHostToDevice);
  AxisTask task = foldline::cuda::unplanned_task({.operation = Operation::variance,
                                                  .ddof = 1,
                                                  .terms = {array.get(), ElementType::int16, length, 1},
                                                  .axes = {{1, length, 1}},
                                                  .results = 1,
                                                  .out = out.get(),
                                                  .out_type = ElementType::float32,
                                                  .overflow = Overflow::error,
                                                  .failure = nullptr});
  foldline::cuda::plan_direct(task, {.multiprocessors = 8, .l2_bytes = 1 << 20, .shared_bytes = 200 << 10});
  ASSERT_NE(task.direct.layout, DirectLayout::none);
  const Workspace workspace(task);
  launch(task);
  if (retried(workspace.list, task.direct.unit).contains(0)) {
    EXPECT_FALSE(task.direct.is_certain);
    return;
  }
  Words words;
  for (const std::int16_t x : elements) words.push_back(static_cast<std::uint16_t>(x));
  oracle::Integers oracle;
  oracle.load(ElementType::int16, words);
  Answer answer{Answer::Kind::value, 0};
  std::memcpy(&answer.bits, out.content().data(), 4);
  EXPECT_EQ(answer, oracle.result(Operation::variance, ElementType::float32, 1, Overflow::error));
}

// Along an axis whose strides are 0, and beside one: many vectors are the same.
TEST(SimulatedAxis, BroadcastIntegers) {
  constexpr std::int64_t outer = 3, length = 20, copies = 3000;
  std::vector<std::int32_t> elements(outer * length);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::int32_t>(i * i * 1001);
  const std::size_t bytes = elements.size() * sizeof elements.front();
  const DeviceBytes array(bytes, 0);
  cudaMemcpy(array.get(), elements.data(), bytes, cudaMemcpyHostToDevice);
  for (const bool is_along : {false, true}) {
    const DeviceBytes out(outer * copies * sizeof(std::int64_t), 0xff);
    AxisTask task = foldline::cuda::unplanned_task(
        {.operation = Operation::sum,
         .ddof = 0,
         .terms = {array.get(), ElementType::int32, is_along ? length : length / 2, is_along ? 0 : 2},
         .axes = {{outer, length, copies}, {copies, 0, 1}},
         .results = outer * copies,
         .out = out.get(),
         .out_type = ElementType::int64,
         .overflow = Overflow::error,
         .failure = nullptr});
    foldline::cuda::plan_direct(task, {.multiprocessors = 8, .l2_bytes = 1 << 20, .shared_bytes = 200 << 10});
    ASSERT_EQ(task.direct.layout, DirectLayout::scattered);
    EXPECT_GT(task.direct.groups, outer);
    const Workspace workspace(task);
    launch(task);
    const std::vector<std::byte> content = out.content();
    for (std::int64_t i = 0; i < outer * copies; ++i) {
      const auto first = static_cast<std::size_t>(i / copies * length);
      std::int64_t expected = 0, actual = 0;
      for (std::size_t k = 0; k < length; k += is_along ? 1 : 2)
        expected += elements[is_along ? first : first + k];
      std::memcpy(&actual, &content[static_cast<std::size_t>(i) * sizeof actual], sizeof actual);
      ASSERT_EQ(actual, expected) << i;
    }
  }
}

}  // namespace
