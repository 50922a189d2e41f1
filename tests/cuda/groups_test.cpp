// Groups of keys and what masks take, on a GPU: the oracle's results, and the CPU's bits.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "foldline/segments.hpp"
#include "segments_fixture.hpp"

namespace {

using namespace cuda_test;
using foldline::ElementType;
using foldline::Operation;
using generators::Random;

TEST_F(CudaSegments, RandomGroups) {
  cases::run_on(Device::cuda());
  for (std::uint64_t seed = 0; seed < 1500; ++seed) ASSERT_EQ(segment_cases::check_random_groups(seed), "");
}

TEST_F(CudaSegments, RandomMasks) {
  cases::run_on(Device::cuda());
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    ASSERT_EQ(segment_cases::check_random_mask(seed), "");
    ASSERT_EQ(segment_cases::check_random_masked_axes(seed), "");
  }
}

// Results of many terms, of which blocks of threads share each, and of few, along both axes.
TEST_F(CudaSegments, MasksOfMatrices) {
  for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {3, 200'000}, {200'000, 3}, {1000, 777}, {1, 500'001}, {70'000, 17}}) {
    const auto size = static_cast<std::size_t>(rows * columns);
    std::vector<float> x(size);
    std::vector<std::uint8_t> mask(size);
    for (std::size_t i = 0; i < size; ++i) {
      x[i] = static_cast<float>(random_.real() - 0.5);
      mask[i] = random_.one_in(3) ? 1 : 0;
    }
    const DeviceMemory<float> there{std::span(x)};
    const DeviceMemory<std::uint8_t> mask_there{std::span(mask)};
    for (const std::int64_t axis : {0, 1})
      for (const Operation operation : {Operation::mean, Operation::variance, Operation::maximum}) {
        const std::int64_t results = axis == 0 ? columns : rows;
        std::vector<double> expected(static_cast<std::size_t>(results), -1), actual(expected);
        std::vector<std::int64_t> counts(expected.size()), actual_counts(expected.size());
        const DeviceMemory<double> out{std::span(actual)};
        const DeviceMemory<std::int64_t> counts_there(results);
        foldline::reduce_axes_where(operation, foldline::ArrayView(x.data(), {rows, columns}),
                                    foldline::ArrayView(mask.data(), {rows, columns}), {axis}, expected,
                                    foldline::MutableArrayView(counts));
        foldline::reduce_axes_where(operation, foldline::ArrayView(there.data(), {rows, columns}),
                                    foldline::ArrayView(mask_there.data(), {rows, columns}), {axis},
                                    foldline::MutableArrayView(out.data(), {results}),
                                    foldline::MutableArrayView(counts_there.data(), {results}), {}, on_gpu);
        check(cudaMemcpy(actual.data(), out.data(), actual.size() * sizeof(double), cudaMemcpyDeviceToHost));
        check(cudaMemcpy(actual_counts.data(), counts_there.data(), counts.size() * sizeof(std::int64_t),
                         cudaMemcpyDeviceToHost));
        EXPECT_EQ(actual_counts, counts);
        for (std::size_t k = 0; k < expected.size(); ++k)
          ASSERT_EQ(cases::bits_of(actual[k]), cases::bits_of(expected[k]))
              << name_of(operation) << ' ' << k << " of " << rows << " x " << columns << " along " << axis;
      }
  }
}

/// A value of some kind, for sums whose order is left to the device.
double value_of_kind(int kind, std::size_t i, Random& random) {
  const double fraction = random.real() - 0.5;
  switch (kind) {
    case 0:
      return fraction;
    case 1:  // pairs that cancel, and ties
      return (i % 2 == 0 ? 1 : -1) * static_cast<double>(i / 2 % 7 + 1) / 4;
    case 2:  // of all sizes
      return std::ldexp(fraction, static_cast<int>(random.between(-24, 15)));
    case 3:  // one that no word holds
      return i == 777 ? 0x1p-1074 : fraction;
    case 4:  // and one that makes all others small
      return i == 778 ? 0x1p1000 : fraction;
    case 5:
      return i % 5000 == 3 ? -0.0 : std::floor(4 * fraction);
    case 6:
      return i == 9 ? -std::numeric_limits<double>::infinity() : fraction;
    default:
      return i % 10'000 == 5 ? std::nan("") : fraction;
  }
}

template <class T, class R>
void compare_groups(const std::vector<T>& values, const std::vector<std::int32_t>& keys, std::int64_t count,
                    const std::string& what) {
  const DeviceMemory<T> there{std::span(values)};
  const DeviceMemory<std::int32_t> names{std::span(keys)};
  const DeviceMemory<R> out(count);
  const std::int64_t size = std::ssize(keys);
  for (const Operation operation : {Operation::sum, Operation::abs_sum, Operation::mean}) {
    if (std::is_integral_v<R> && operation == Operation::mean) continue;
    std::vector<R> expected(static_cast<std::size_t>(count)), actual(expected);
    foldline::reduce_by_key(operation, keys, values, expected);
    set_bytes(out.data(), 0xff, actual.size() * sizeof(R));
    foldline::reduce_by_key(operation, foldline::VectorView(names.data(), size),
                            foldline::VectorView(there.data(), size), MutableVectorView(out.data(), count),
                            {}, on_gpu);
    check(cudaMemcpy(actual.data(), out.data(), actual.size() * sizeof(R), cudaMemcpyDeviceToHost));
    for (std::size_t k = 0; k < expected.size(); ++k)
      ASSERT_EQ(as_bits(actual[k]), as_bits(expected[k]))
          << name_of(operation) << " of " << name_of(foldline::element_type_of<T>) << " as "
          << name_of(foldline::element_type_of<R>) << ", " << what << ", key " << k;
  }
}

// Sums without an order, and all that makes them sort after all: values that words do not hold, special ones,
// and keys with most of the values.
TEST_F(CudaSegments, GroupsWithoutOrder) {
  constexpr std::size_t size = 30'001;
  for (const std::int64_t count : {1, 77, 3000, 50'000})
    for (const std::int64_t hot : {0, 3, 100})  // percent of the values that are the last key's
      for (int kind = 0; kind < 8; ++kind) {
        std::vector<std::int32_t> keys(size);
        std::vector<double> doubles(size);
        std::vector<float> floats(size);
        std::vector<foldline::half> halves(size);
        std::vector<foldline::bfloat16> bfloats(size);
        std::vector<std::int32_t> integers(size);
        std::vector<std::uint8_t> bytes(size);
        std::vector<std::int64_t> long_integers(size);  // to 2^32, which words hold, or to 2^46
        std::vector<std::uint64_t> without_signs(size);
        for (std::size_t i = 0; i < size; ++i) {
          keys[i] = static_cast<std::int32_t>(random_.between(0, 99) < hot ? count - 1
                                                                           : random_.between(0, count - 1));
          doubles[i] = value_of_kind(kind, i, random_);
          floats[i] = static_cast<float>(doubles[i]);
          halves[i] = foldline::half(floats[i]);
          bfloats[i] = foldline::bfloat16(floats[i]);
          integers[i] = static_cast<std::int32_t>(random_.between(INT32_MIN, INT32_MAX));
          long_integers[i] =
              random_.between(-1, 1) * (std::int64_t{1} << (4 * kind + 18)) + random_.between(-9, 9);
          without_signs[i] = random_.bits() >> (33 - 2 * kind);
          bytes[i] = static_cast<std::uint8_t>(random_.between(0, 255));
        }
        const std::string what = "kind " + std::to_string(kind) + ", " + std::to_string(hot) + "% of one key";
        compare_groups<double, double>(doubles, keys, count, what);
        compare_groups<double, float>(doubles, keys, count, what);
        compare_groups<float, float>(floats, keys, count, what);
        compare_groups<float, double>(floats, keys, count, what);
        compare_groups<foldline::half, foldline::half>(halves, keys, count, what);
        compare_groups<foldline::bfloat16, foldline::bfloat16>(bfloats, keys, count, what);
        compare_groups<std::int32_t, std::int64_t>(integers, keys, count, what);
        compare_groups<std::int32_t, double>(integers, keys, count, what);
        compare_groups<std::uint8_t, std::uint64_t>(bytes, keys, count, what);
        compare_groups<std::int64_t, std::int64_t>(long_integers, keys, count, what);
        compare_groups<std::int64_t, double>(long_integers, keys, count, what);
        compare_groups<std::uint64_t, double>(without_signs, keys, count, what);
        if (HasFatalFailure()) return;
      }
}

TEST_F(CudaSegments, ManyKeys) {
  constexpr std::size_t size = 1'000'000;
  for (const std::int64_t count : {1, 2, 1000, 65'537, 3'000'000}) {
    std::vector<std::int32_t> keys(size);
    std::vector<float> values(size);
    for (std::size_t i = 0; i < size; ++i) {
      keys[i] = static_cast<std::int32_t>(random_.between(0, count - 1));
      values[i] = static_cast<float>(random_.real() - 0.5);
    }
    std::vector<float> expected(static_cast<std::size_t>(count)), actual(expected);
    foldline::reduce_by_key(Operation::sum, keys, values, expected);
    foldline::reduce_by_key(Operation::sum, keys, values, actual, {}, on_gpu);
    ASSERT_EQ(actual, expected) << count;
    const DeviceMemory<std::int32_t> names{std::span(keys)};
    const DeviceMemory<float> there{std::span(values)}, out(count);
    foldline::reduce_by_key(Operation::sum, foldline::VectorView(names.data(), size),
                            foldline::VectorView(there.data(), size), MutableVectorView(out.data(), count),
                            {}, on_gpu);
    check(cudaMemcpy(actual.data(), out.data(), actual.size() * sizeof(float), cudaMemcpyDeviceToHost));
    ASSERT_EQ(actual, expected) << count;
    std::ranges::sort(keys);
    foldline::reduce_by_key(Operation::sum, keys, values, expected);
    foldline::reduce_by_key(Operation::sum, keys, values, actual, {}, on_gpu);
    ASSERT_EQ(actual, expected) << count << " sorted";
    keys[size / 2] = static_cast<std::int32_t>(count);
    EXPECT_THROW(foldline::reduce_by_key(Operation::sum, keys, values, actual, {}, on_gpu),
                 foldline::InvalidArgument);
  }
}

// Queued, in the caller's memory, and in a graph: random keys, sorted ones, others in strides, and wrong
// ones.
TEST_F(CudaSegments, QueuedGroups) {
  Lane lane;
  Random random(12);
  const DeviceWorkspace workspace(Device::cuda());
  for (const std::int64_t count : {1, 7, 1000, 300'000}) {
    const std::int64_t size = 200'001;
    std::vector<std::int32_t> keys(static_cast<std::size_t>(size));
    std::vector<float> values(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = static_cast<std::int32_t>(random.between(0, count - 1));
      values[i] = static_cast<float>(random.real() - 0.5);
    }
    const std::int64_t bytes = async::reduce_by_key_bytes(size, ElementType::float32, count, workspace);
    const DeviceMemory<std::int32_t> keys_there{std::span(keys)};
    const DeviceMemory<float> there{std::span(values)};
    const DeviceMemory<double> out(count);
    const DeviceMemory<std::byte> memory(bytes);
    std::vector<double> expected(static_cast<std::size_t>(count)), actual(expected);
    const auto check_with = [&](std::int64_t taken, std::int64_t stride, std::int64_t status) {
      const auto queue_it = [&] {
        async::reduce_by_key(Operation::mean, foldline::VectorView(keys_there.data(), taken, stride),
                             foldline::VectorView(there.data(), taken, stride),
                             MutableVectorView(out.data(), count), {},
                             std::span(memory.data(), static_cast<std::size_t>(bytes)), lane.queue());
      };
      queue_it();
      ASSERT_EQ(lane.take_status(), status);
      const cudaGraphExec_t graph = captured(lane, queue_it);
      set_bytes(out.data(), 0xff, expected.size() * sizeof(double));
      check(cudaDeviceSynchronize());
      check(cudaGraphLaunch(graph, lane.stream()));
      ASSERT_EQ(lane.take_status(), status);
      check(cudaMemcpy(actual.data(), out.data(), expected.size() * sizeof(double), cudaMemcpyDeviceToHost));
      for (std::size_t k = 0; k < expected.size(); ++k)
        ASSERT_EQ(cases::bits_of(actual[k]), cases::bits_of(expected[k])) << k << " of " << count;
      check(cudaGraphExecDestroy(graph));
    };
    const foldline::VectorView all_keys(keys), all_values(values);
    foldline::reduce_by_key(Operation::mean, all_keys, all_values, expected);
    check_with(size, 1, 0);
    foldline::reduce_by_key(Operation::mean, foldline::VectorView(keys.data(), size / 3, 3),
                            foldline::VectorView(values.data(), size / 3, 3), expected);
    check_with(size / 3, 3, 0);
    // A wrong key leaves its value out.
    std::vector<std::int32_t> right(keys.begin(), keys.begin() + 1000);
    std::vector<float> of_right(values.begin(), values.begin() + 1000);
    right.erase(right.begin() + 500);
    of_right.erase(of_right.begin() + 500);
    foldline::reduce_by_key(Operation::mean, right, of_right, expected);
    const std::int32_t wrong = static_cast<std::int32_t>(random.coin() ? count : -1);
    check(cudaMemcpy(keys_there.data() + 500, &wrong, sizeof wrong, cudaMemcpyHostToDevice));
    check_with(1000, 1, -1 - 500);
    EXPECT_THROW(
        async::reduce_by_key(Operation::sum, foldline::VectorView(keys_there.data(), size),
                             foldline::VectorView(there.data(), size), MutableVectorView(out.data(), count),
                             {}, std::span(memory.data(), static_cast<std::size_t>(bytes) - 1), lane.queue()),
        foldline::InvalidArgument);
  }
}

}  // namespace
