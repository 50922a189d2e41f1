// The kernels that add floating-point numbers of up to 32 bits along an axis, run by the simulator: every
// operation, type and layout that plain sums tell, bit for bit against GMP.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <simt/simt.hpp>
#include <sstream>

#include "axis_workspace.hpp"
#include "generators.hpp"

namespace {

using foldline::AxisReduction;
using foldline::ElementType;
using foldline::name_of;
using foldline::Operation;
using foldline::Overflow;
using foldline::cuda::AxisTask;
using foldline::cuda::DirectLayout;
using generators::Generator;
using generators::Random;
using simulated::DeviceBytes;
using simulated::retried;
using simulated::Workspace;

const std::vector<Operation> operations = {Operation::sum,
                                           Operation::abs_sum,
                                           Operation::two_norm,
                                           Operation::mean,
                                           Operation::variance,
                                           Operation::standard_deviation,
                                           Operation::standard_error,
                                           Operation::root_mean_square};
const std::vector<ElementType> types = {ElementType::float32, ElementType::bfloat16, ElementType::half};
const std::vector<Generator> generators_of_columns(generators::all_generators.begin(),
                                                   generators::all_generators.end());

/// (outer, length, inner), and elements before the first one and between rows.
struct ShapeOfFloats {
  std::int64_t outer, length, inner, head, gap, step;
};

ShapeOfFloats random_shape(Random& random) {
  ShapeOfFloats shape{
      1, 1, 1, random.one_in(3) ? random.between(1, 9) : 0, random.one_in(3) ? random.between(1, 9) : 0, 1};
  if (random.one_in(12)) {  // many rows, some of which are seen as one
    shape.length = random.between(8190, 8600);
    shape.inner = random.between(2, 12);
    shape.gap = 0;
    shape.head = random.one_in(4) ? shape.head : 0;
    return shape;
  }
  switch (random.between(0, 7)) {
    case 0:
    case 1:
      shape.length = random.between(1, 16);
      shape.inner = random.between(2, 300);
      break;
    case 2:  // so many columns that threads have whole ones
      shape.length = random.between(17, random.coin() ? 32 : 140);
      shape.inner = random.between(3073, 3200);
      break;
    default:  // pieces, and elements apart
      shape.length = random.between(2, 40);
      shape.inner = random.between(1, 40);
      shape.outer = random.between(1, 30);
      shape.step = random.between(1, 3);
  }
  if (shape.head == 0) shape.gap = random.coin() ? 0 : -shape.inner & 7;
  return shape;
}

struct CountsOfFloats {
  int cases = 0, results = 0, retried = 0, folded = 0;
  std::set<DirectLayout> plain, other;
};

void check_random_floats(std::uint64_t seed, CountsOfFloats& counts) {
  Random random(seed);
  const ElementType type = random.pick(types);
  const ShapeOfFloats shape = random_shape(random);
  const std::int64_t width = size_of(type), row = shape.inner * shape.step + shape.gap,
                     group = row * shape.length, results = shape.outer * shape.inner;
  std::vector<std::byte> elements(static_cast<std::size_t>((shape.head + group * shape.outer) * width),
                                  std::byte{0xff});
  const bool is_plain = random.coin();  // ordinary numbers
  const Generator generator = is_plain ? Generator::uniform : random.pick(generators_of_columns);
  std::vector<std::vector<double>> vectors;
  for (std::int64_t i = 0; i < results; ++i) {
    const bool is_other = !is_plain && random.one_in(4);
    std::vector<double> x =
        generate(is_other ? random.pick(generators_of_columns) : generator, type, shape.length, random).x;
    x.resize(static_cast<std::size_t>(shape.length));
    for (std::int64_t k = 0; k < shape.length; ++k) {
      const std::uint64_t bits = oracle::encode(x[static_cast<std::size_t>(k)], type);
      const std::int64_t at = shape.head + i / shape.inner * group + k * row + i % shape.inner * shape.step;
      std::memcpy(&elements[static_cast<std::size_t>(at * width)], &bits, static_cast<std::size_t>(width));
    }
    vectors.push_back(std::move(x));
  }
  const DeviceBytes array(elements.size(), 0);
  cudaMemcpy(array.get(), elements.data(), elements.size(), cudaMemcpyHostToDevice);

  const Operation operation = random.pick(operations);
  const ElementType result = random.one_in(4)   ? ElementType::float32
                             : random.one_in(8) ? random.pick(types)
                                                : type;
  const std::int64_t ddof = oracle::has_ddof(operation) ? random.between(0, 1) : 0,
                     out_width = size_of(result), out_step = random.one_in(4) ? 2 : 1;
  const DeviceBytes out(static_cast<std::size_t>(results * out_width * out_step), 0xff);
  AxisReduction reduction{.operation = operation,
                          .ddof = ddof,
                          .terms = {array.get() + shape.head * width, type, shape.length, row},
                          .axes = {},
                          .results = results,
                          .out = out.get(),
                          .out_type = result,
                          .overflow = Overflow::error,
                          .failure = nullptr};
  if (shape.outer > 1) reduction.axes.push_back({shape.outer, group, shape.inner * out_step});
  reduction.axes.push_back({shape.inner, shape.step, out_step});
  AxisTask task = foldline::cuda::unplanned_task(reduction);
  foldline::cuda::plan_direct(task, {.multiprocessors = 1, .l2_bytes = 1 << 20, .shared_bytes = 200 << 10});
  if (task.direct.layout == DirectLayout::none) return;
  const Workspace workspace(task);
  simt::options().order = static_cast<simt::Order>(random.between(0, 2));
  simt::options().seed = random.bits();
  if (type == ElementType::float32)
    launch_direct_float32(task, nullptr);
  else
    launch_direct_16_bits(task, nullptr);

  const std::set<std::int64_t> left = retried(workspace.list, task.direct.unit);
  const std::vector<std::byte> actual = out.content();
  ++counts.cases;
  counts.folded += task.direct.fold > 1 ? 1 : 0;
  (task.direct.is_plain || task.direct.layout == DirectLayout::few_rows ? counts.plain : counts.other)
      .insert(task.direct.layout);
  oracle::BigIntegers oracle;
  for (std::int64_t i = 0; i < results; ++i) {
    oracle.load(vectors[static_cast<std::size_t>(i)]);
    const std::uint64_t expected = oracle.result(operation, result, ddof);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &actual[static_cast<std::size_t>(i * out_width * out_step)],
                static_cast<std::size_t>(out_width));
    ++counts.results;
    if (left.contains(i) && bits == ~std::uint64_t{0} >> (64 - 8 * out_width)) {
      ++counts.retried;
      ASSERT_FALSE(task.direct.is_certain);
      continue;
    }
    ASSERT_EQ(bits, expected) << name_of(operation) << " of " << name_of(type) << " in " << name_of(result)
                              << ", " << name_of(generator) << ", " << shape.outer << " x " << shape.length
                              << " x " << shape.inner << ", seed " << seed << ", layout "
                              << static_cast<int>(task.direct.layout) << ", result " << i;
  }
}

TEST(SimulatedAxis, RandomFloatsAgainstTheOracle) {
  simt::options().trace = simt::options().lines = false;
  const char* const text = std::getenv("FOLDLINE_TEST_CASES");
  const int cases = text == nullptr ? 150 : std::max(1, std::atoi(text));
  CountsOfFloats counts;
  for (int i = 0; i < cases; ++i) {
    check_random_floats(Random(static_cast<std::uint64_t>(i)).bits(), counts);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(counts.cases, cases / 2);
  EXPECT_LT(counts.retried, counts.results / 4);
  EXPECT_GT(counts.folded, cases / 50);
  EXPECT_EQ(counts.plain.size(), 4u);  // few rows, columns, pieces, scattered ones
}

}  // namespace
