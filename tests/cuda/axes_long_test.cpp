// Reductions along an axis of arrays of more than 2^32 elements, and of vectors of more than 2^28.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "axes_fixture.hpp"
#include "foldline/async.hpp"

namespace {

using namespace cuda_test;
using foldline::ArrayView;
using foldline::Device;
using foldline::MutableArrayView;
using foldline::async::Queue;

bool has_memory(std::int64_t bytes) {
  std::size_t free = 0, all = 0;
  check(cudaMemGetInfo(&free, &all));
  return free >= static_cast<std::size_t>(bytes) + (std::size_t{1} << 30);
}

TEST_F(CudaAxes, DirectOfMoreThan2To32Elements) {
  constexpr std::int64_t side = 65'600;
  if (!has_memory(2 * side * side)) GTEST_SKIP() << "too little memory";
  const DeviceMemory<foldline::bfloat16> x(side * side), out(side);
  set_bytes(x.data(), 0x3f, static_cast<std::size_t>(side * side) * 2);
  std::vector<foldline::bfloat16> one(static_cast<std::size_t>(side),
                                      std::bit_cast<foldline::bfloat16>(std::uint16_t{0x3f3f}));
  for (const Operation operation : {Operation::sum, Operation::variance, Operation::two_norm})
    for (const std::int64_t axis : {0, 1}) {
      std::vector<foldline::bfloat16> expected(1), results(static_cast<std::size_t>(side));
      foldline::reduce_rows(operation, foldline::MatrixView(one.data(), 1, side), expected);
      set_bytes(out.data(), 0xff, static_cast<std::size_t>(side) * 2);
      foldline::reduce_axis(operation, ArrayView(x.data(), {side, side}), axis,
                            MutableArrayView(out.data(), {side}), {}, on_gpu);
      check(cudaMemcpy(results.data(), out.data(), results.size() * 2, cudaMemcpyDeviceToHost));
      for (const foldline::bfloat16 result : results) ASSERT_EQ(result.bits, expected[0].bits) << axis;
    }
  // Middle axes of short and of long rows, and every second element.
  struct Cut {
    Extents shape, strides;
    std::int64_t axis;
  };
  constexpr std::int64_t outer = side * side / 2048;
  for (const auto& [shape, strides, axis] :
       {Cut{{outer, 1024, 2}, {2048, 2, 1}, 1}, Cut{{outer, 16, 16}, {2048, 128, 1}, 1},
        Cut{{outer, 2048}, {2048, 1}, 1}, Cut{{outer, 50}, {2048, 3}, 1}, Cut{{side, side / 2}, {side, 2}, 0},
        Cut{{side, side / 2}, {side, 2}, 1}, Cut{{side, 400, 80}, {side, 160, 2}, 1}})
    for (const Operation operation : {Operation::sum, Operation::variance, Operation::two_norm}) {
      Extents rest = without(shape, static_cast<std::size_t>(axis));
      std::int64_t count = 1;
      for (const std::int64_t extent : rest) count *= extent;
      const DeviceMemory<foldline::bfloat16> many(count);
      std::vector<foldline::bfloat16> expected(1), results(static_cast<std::size_t>(count));
      foldline::reduce_rows(
          operation, foldline::MatrixView(one.data(), 1, shape[static_cast<std::size_t>(axis)]), expected);
      set_bytes(many.data(), 0xff, results.size() * 2);
      foldline::reduce_axis(operation, ArrayView(x.data(), ElementType::bfloat16, shape, strides), axis,
                            MutableArrayView(many.data(), rest), {}, on_gpu);
      check(cudaMemcpy(results.data(), many.data(), results.size() * 2, cudaMemcpyDeviceToHost));
      for (const foldline::bfloat16 result : results)
        ASSERT_EQ(result.bits, expected[0].bits) << shape.size();
    }
  // Two vectors that are longer than those whose lengths' products are doubles.
  constexpr std::int64_t length = (std::int64_t{1} << 27) + 3;
  one.resize(static_cast<std::size_t>(length), one[0]);
  for (const Operation operation : {Operation::sum, Operation::variance, Operation::two_norm}) {
    std::vector<foldline::bfloat16> expected(1), results(2);
    foldline::reduce_rows(operation, foldline::MatrixView(one.data(), 1, length), expected);
    foldline::reduce_axis(operation, ArrayView(x.data(), {2, length}), 1, MutableArrayView(out.data(), {2}),
                          {}, on_gpu);
    check(cudaMemcpy(results.data(), out.data(), results.size() * 2, cudaMemcpyDeviceToHost));
    for (const foldline::bfloat16 result : results) ASSERT_EQ(result.bits, expected[0].bits);
  }
}

TEST_F(CudaAxes, VectorsThatALaunchDoesNotTake) {
  constexpr std::int64_t length = (std::int64_t{1} << 28) + 5;
  const DeviceMemory<std::uint8_t> x(2 * length);
  set_bytes(x.data(), 1, static_cast<std::size_t>(length));
  set_bytes(x.data() + length, 3, static_cast<std::size_t>(length));
  EXPECT_EQ(foldline::row_sums<std::int64_t>(MatrixView(x.data(), 2, length), on_gpu),
            (std::vector<std::int64_t>{length, 3 * length}));
  const DeviceMemory<float> means(2);
  foldline::reduce_rows(Operation::mean, MatrixView(x.data(), 2, length), MutableArrayView(means.data(), {2}),
                        {}, on_gpu);
  std::array<float, 2> copy{};
  check(cudaMemcpy(copy.data(), means.data(), sizeof copy, cudaMemcpyDeviceToHost));
  EXPECT_EQ(copy, (std::array<float, 2>{1, 3}));
}

/// Bits of an element: of moderate numbers, or of finite ones of any exponents.
std::uint64_t bits_of_element(ElementType type, bool is_wide, Random& random) {
  if (!is_floating(type)) return random.bits();
  const int digits = type == ElementType::half       ? 10
                     : type == ElementType::bfloat16 ? 7
                     : type == ElementType::float32  ? 23
                                                     : 52;
  const std::int64_t end = std::int64_t{1} << digits, highest = !is_wide                    ? 3
                                                                : type == ElementType::half ? 14
                                                                                            : 120;
  const auto exponent = static_cast<int>(random.between(-highest, highest));
  return oracle::encode(std::ldexp(static_cast<double>(random.between(1 - end, end - 1)), exponent - digits),
                        type);
}

/// `count` elements, of which one million and a few follow each other again and again.
void fill_with_repeated(std::byte* x, ElementType type, std::int64_t count, bool is_wide, Random& random) {
  constexpr std::int64_t period = 1'000'003;
  Memory some(axes_cases::dense({period}), type);
  for (std::int64_t i = 0; i < period; ++i) some.set_bits({i}, bits_of_element(type, is_wide, random));
  const auto bytes = static_cast<std::size_t>(count * size_of(type));
  auto done = static_cast<std::size_t>(period * size_of(type));
  check(cudaMemcpy(x, some.view().data(), done, cudaMemcpyHostToDevice));
  for (; done < bytes; done *= 2)
    check(cudaMemcpy(x + done, x, std::min(done, bytes - done), cudaMemcpyDeviceToDevice));
  check(cudaStreamSynchronize(cudaStreamLegacy));
}

/// Results along the first axis of `length` rows, waiting and queued: those of each column alone, as a
/// vector.
void compare_with_columns(const std::byte* x, ElementType type, ElementType result, std::int64_t length,
                          std::int64_t columns) {
  const DeviceMemory<std::byte> out(8 * columns);
  foldline::DeviceWorkspace workspace(Device::cuda());
  const auto results_of = [&](const auto& reduce) {
    set_bytes(out.data(), 0xff, static_cast<std::size_t>(8 * columns));
    reduce(MutableArrayView(out.data(), result, {columns}, {1}));
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(8 * columns));
    check(cudaMemcpy(bytes.data(), out.data(), bytes.size(), cudaMemcpyDeviceToHost));
    return bytes;
  };
  for (const Operation operation : oracle::one_vector_operations) {
    const ArrayView array(x, type, {length, columns}, {columns, 1});
    const auto expected = results_of([&](const MutableArrayView& all) {
      for (std::int64_t c = 0; c < columns; ++c)
        foldline::reduce_axis(operation, ArrayView(x + c * size_of(type), type, {length}, {columns}), 0,
                              MutableArrayView(out.data() + c * size_of(all.type()), all.type(), {}, {}), {},
                              on_gpu);
    });
    EXPECT_EQ(results_of([&](const MutableArrayView& all) {
                foldline::reduce_axis(operation, array, 0, all, {}, on_gpu);
              }),
              expected)
        << name_of(operation) << " of " << columns << " columns of " << name_of(type) << ", waiting";
    EXPECT_EQ(results_of([&](const MutableArrayView& all) {
                foldline::async::reduce_axis(operation, array, 0, all, {}, Queue{.workspace = &workspace});
                check(cudaStreamSynchronize(nullptr));
              }),
              expected)
        << name_of(operation) << " of " << columns << " columns of " << name_of(type) << ", queued";
  }
}

TEST_F(CudaAxes, LongInterleavedVectors) {
  struct Shape {
    ElementType type, result;
    std::int64_t length, columns;
  };
  constexpr std::int64_t some = std::int64_t{1} << 28, many = std::int64_t{1} << 30,
                         all = 2 * many - (1 << 24);
  constexpr std::int64_t most_bytes = 4 * 2 * (many + 1);
  if (!has_memory(most_bytes)) GTEST_SKIP() << "too little memory";
  const DeviceMemory<std::byte> x(most_bytes);
  for (const auto& [type, result, length, columns] :
       {Shape{ElementType::float64, ElementType::float64, some + 5, 3},
        Shape{ElementType::float32, ElementType::float32, some + 1, 3},
        Shape{ElementType::float32, ElementType::float64, some + 1, 2},
        Shape{ElementType::bfloat16, ElementType::bfloat16, some + 77, 4},
        Shape{ElementType::half, ElementType::float32, some + 77, 7},
        Shape{ElementType::int64, ElementType::float64, some + 5, 2},
        Shape{ElementType::int32, ElementType::float64, some + 5, 5},
        Shape{ElementType::int16, ElementType::float32, some + 1, 3},
        Shape{ElementType::float32, ElementType::float32, many, 2},
        Shape{ElementType::float32, ElementType::float32, many + 1, 2},
        Shape{ElementType::uint8, ElementType::float64, all, 3},
        Shape{ElementType::int8, ElementType::float32, all, 4},
        Shape{ElementType::uint8, ElementType::float32, all + 1, 2}})
    for (const bool is_wide : {false, true}) {
      if (is_wide && !is_floating(type)) continue;
      fill_with_repeated(x.data(), type, length * columns, is_wide, random_);
      compare_with_columns(x.data(), type, result, length, columns);
      if (HasFailure()) return;
    }
}

}  // namespace
