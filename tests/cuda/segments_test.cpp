// Segments on a GPU: the oracle's results, and the CPU's bits for all lengths, whoever reduces them.
#include "foldline/segments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "segments_fixture.hpp"

namespace {

using namespace cuda_test;
using foldline::ElementType;
using foldline::Operation;
using generators::Random;

TEST_F(CudaSegments, RandomCases) {
  cases::run_on(Device::cuda());
  for (std::uint64_t seed = 0; seed < 3000; ++seed) ASSERT_EQ(segment_cases::check_random_segments(seed), "");
}

/// Element i of n of a segment of some kind.
double element(std::int64_t kind, std::int64_t i, std::int64_t n, Random& random) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double fraction = random.real() - 0.5;
  switch (kind) {
    case 0:
      return fraction;
    case 1:  // ties
      return static_cast<double>(random.between(-3, 200));
    case 2:  // pairs that cancel
      return i % 2 == 0 ? 1.0 + static_cast<double>(i % 100) : -static_cast<double>((i - 1) % 100);
    case 3:  // hardly any variance
      return 1000 + fraction / 64;
    case 4:  // of all sizes
      return std::ldexp(fraction, static_cast<int>(random.between(-20, 14)));
    case 5:  // no variance
      return 0.125;
    case 6:
      return -0.0;
    case 7:
      return i == n - 1 ? std::nan("") : fraction;
    case 8:
      return i == n / 3 ? -infinity : fraction;
    case 9:  // a tie, or just beside one
      return i == 0   ? 1.0
             : i == 1 ? 0x1p-11
             : i == 2 ? static_cast<double>(random.between(-1, 1)) * 0x1p-24
                      : 0.0;
    default:
      return i == 0   ? 1.0
             : i == 1 ? 0x1p-53
             : i == 2 ? static_cast<double>(random.between(-1, 1)) * 0x1p-120
                      : 0.0;
  }
}
constexpr std::int64_t kinds = 11;

/// Element i of some kind of a segment of integers.
template <class T>
T integer_element(std::int64_t kind, std::int64_t i, Random& random) {
  constexpr T lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
  const auto any = static_cast<T>(random.bits());
  switch (kind) {
    case 0:
      return any;
    case 1:
      return static_cast<T>(any % 4);
    case 2:
      return lowest;
    case 3:
      return highest;
    default:
      return i % 2 == 0 ? lowest : highest;
  }
}
constexpr std::int64_t integer_kinds = 5;

bool gives_integers(Operation operation) {
  return operation == Operation::sum || operation == Operation::abs_sum || operation == Operation::minimum ||
         operation == Operation::maximum || operation == Operation::range;
}

/// The same call on the CPU and on the GPU, waiting and queued, of memory that the device has.
template <class T, class R>
void compare(const std::vector<T>& values, const std::vector<std::int32_t>& offsets,
             const std::string& what) {
  static Lane lane;
  const std::int64_t count = std::ssize(offsets) - 1, size = std::ssize(values);
  const DeviceMemory<T> there{std::span(values)};
  const DeviceMemory<std::int32_t> ends{std::span(offsets)};
  const DeviceMemory<R> results(count);
  for (const Operation operation : oracle::one_vector_operations) {
    if (std::is_integral_v<R> && !gives_integers(operation)) continue;
    std::vector<R> expected(static_cast<std::size_t>(count)), actual(expected);
    foldline::reduce_segments(operation, values, offsets, expected);
    const auto check_results = [&](const char* how) {
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(as_bits(actual[i]), as_bits(expected[i]))
            << name_of(operation) << " of " << name_of(foldline::element_type_of<T>) << " as "
            << name_of(foldline::element_type_of<R>) << ", " << what << ", segment " << i << " of "
            << offsets[i + 1] - offsets[i] << ", " << how;
    };
    foldline::reduce_segments(operation, values, offsets, actual, {}, on_gpu);
    check_results("of the host's memory");
    if (testing::Test::HasFatalFailure()) return;
    set_bytes(results.data(), 0xff, actual.size() * sizeof(R));
    async::reduce_segments(operation, foldline::VectorView(there.data(), size),
                           foldline::VectorView(ends.data(), count + 1),
                           MutableVectorView(results.data(), count), {}, lane.queue());
    ASSERT_EQ(lane.take_status(), 0);
    check(cudaMemcpy(actual.data(), results.data(), actual.size() * sizeof(R), cudaMemcpyDeviceToHost));
    check_results("queued");
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Offsets of such segments, and the number of values.
std::pair<std::vector<std::int32_t>, std::size_t> offsets_of(const std::vector<std::int64_t>& lengths,
                                                             Random& random) {
  std::vector<std::int32_t> offsets = {static_cast<std::int32_t>(random.between(0, 3))};
  for (const std::int64_t length : lengths)
    offsets.push_back(static_cast<std::int32_t>(offsets.back() + length));
  return {offsets, static_cast<std::size_t>(offsets.back() + random.between(0, 3))};
}

template <class T, class R = T>
void compare_lengths(const std::vector<std::int64_t>& lengths, const std::string& what, Random& random) {
  const auto [offsets, size] = offsets_of(lengths, random);
  std::vector<double> values(size);
  std::int64_t kind = random.between(0, kinds - 1);
  for (std::size_t k = 0; k < lengths.size(); ++k, kind = (kind + 1) % kinds)
    for (std::int64_t i = 0; i < lengths[k]; ++i)
      values[static_cast<std::size_t>(offsets[k] + i)] = element(kind, i, lengths[k], random);
  std::vector<T> typed(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    typed[i] = T(static_cast<std::conditional_t<std::same_as<T, double>, double, float>>(values[i]));
  compare<T, R>(typed, offsets, what);
}

/// The same of integers. As integers of type R no extremum is of an empty segment.
template <class T, class R>
void compare_integers(const std::vector<std::int64_t>& lengths, const std::string& what, Random& random) {
  const auto [offsets, size] = offsets_of(lengths, random);
  std::vector<T> values(size);
  std::int64_t kind = random.between(0, integer_kinds - 1);
  for (std::size_t k = 0; k < lengths.size(); ++k, kind = (kind + 1) % integer_kinds)
    for (std::int64_t i = 0; i < lengths[k]; ++i)
      values[static_cast<std::size_t>(offsets[k] + i)] = integer_element<T>(kind, i, random);
  compare<T, R>(values, offsets, what);
}

template <class T>
void compare_all(const std::vector<std::int64_t>& lengths, const std::string& what, Random& random) {
  compare_lengths<T>(lengths, what, random);
  if constexpr (!std::same_as<T, double>) {
    if (!testing::Test::HasFatalFailure() && lengths.size() < 2000)
      compare_lengths<T, double>(lengths, what, random);
  }
}

void compare_types(const std::vector<std::int64_t>& lengths, const std::string& what, Random& random) {
  compare_all<double>(lengths, what, random);
  if (!testing::Test::HasFatalFailure()) compare_all<float>(lengths, what, random);
  if (!testing::Test::HasFatalFailure()) compare_all<foldline::half>(lengths, what, random);
  if (!testing::Test::HasFatalFailure()) compare_all<foldline::bfloat16>(lengths, what, random);
}

template <class T>
void compare_integers_of(const std::vector<std::int64_t>& lengths, const std::string& what, Random& random) {
  compare_integers<T, double>(lengths, what, random);
  if (testing::Test::HasFatalFailure()) return;
  const bool has_all = std::ranges::find(lengths, 0) == lengths.end();
  if (sizeof(T) < 8 && has_all) compare_integers<T, std::int64_t>(lengths, what, random);
}
void compare_integer_types(const std::vector<std::int64_t>& lengths, const std::string& what,
                           Random& random) {
  const auto compare_one = [&]<class T>(T) {
    if (!testing::Test::HasFatalFailure()) compare_integers_of<T>(lengths, what, random);
  };
  compare_one(std::int8_t{});
  compare_one(std::uint8_t{});
  compare_one(std::int16_t{});
  compare_one(std::uint16_t{});
  compare_one(std::int32_t{});
  compare_one(std::uint32_t{});
  compare_one(std::int64_t{});
  compare_one(std::uint64_t{});
}

TEST_F(CudaSegments, OfOneLength) {
  for (const std::int64_t length :
       {1,   2,   3,   4,   5,   7,    8,    9,    15,   16,   17,   31,   32,     33,    64,
        100, 127, 128, 129, 257, 1000, 1024, 2047, 4096, 8191, 8192, 8193, 20'000, 70'001})
    for (const std::int64_t count : {std::int64_t{kinds}, std::int64_t{100}}) {
      if (length * count > 300'000) continue;
      const std::vector<std::int64_t> lengths(static_cast<std::size_t>(count), length);
      const std::string what = std::to_string(length) + " each";
      compare_types(lengths, what, random_);
      if (!HasFatalFailure()) compare_integer_types(lengths, what, random_);
      if (HasFatalFailure()) return;
    }
}

// Few elements, but all kernels: sanitizers run this.
TEST_F(CudaSegments, EveryWayOnce) {
  const std::vector<std::int64_t> lengths = {0, 1, 5, 70, 300, 9000, 2, 3, 1100, 12'000};
  compare_lengths<float>(lengths, "every way", random_);
  if (!HasFatalFailure()) compare_integer_types(lengths, "every way", random_);
}

TEST_F(CudaSegments, OfVeryDifferentLengths) {
  for (int round = 0; round < 6; ++round) {
    std::vector<std::int64_t> lengths = segment_cases::random_lengths(3000, 60, random_);
    for (int i = 0; i < 1 << round; ++i)
      lengths[static_cast<std::size_t>(random_.between(0, 2999))] = random_.log_uniform(40'000);
    compare_types(lengths, "mixed", random_);
    if (!HasFatalFailure()) compare_integer_types(lengths, "mixed", random_);
    if (HasFatalFailure()) return;
  }
}

// Blocks share the longest ones.
TEST_F(CudaSegments, LongOnes) {
  std::vector<std::int64_t> lengths = {3, 2'500'000, 0, 1, 32'769, 32'768, 9000, 130'000, 65'537};
  compare_types(lengths, "long", random_);
  if (HasFatalFailure()) return;
  lengths[2] = 7;
  compare_integer_types(lengths, "long", random_);
  if (HasFatalFailure()) return;
  compare_lengths<foldline::half>(std::vector<std::int64_t>(40, 100'001), "40 long ones", random_);
}

// Beyond what n (n - ddof) as a double can tell.
TEST_F(CudaSegments, OfMoreThan2To26Elements) {
  const std::vector<std::int64_t> lengths = {5, (std::int64_t{1} << 26) + 12'345};
  compare_lengths<float>(lengths, "beyond 2^26", random_);
  if (!HasFatalFailure()) compare_lengths<double>(lengths, "beyond 2^26", random_);
}

// More long ones than the list of them holds.
TEST_F(CudaSegments, ManyLongOnes) {
  constexpr std::int64_t count = 33'000, length = 8195;
  std::vector<foldline::half> values(static_cast<std::size_t>(count * length));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = foldline::half::from_bits(static_cast<std::uint16_t>(0x2e66 + i % 1013));
  std::vector<std::int32_t> offsets(static_cast<std::size_t>(count) + 1);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    offsets[i] = static_cast<std::int32_t>(i) * std::int32_t{length};
  std::vector<float> expected(static_cast<std::size_t>(count)), actual(expected);
  foldline::reduce_segments(Operation::sum, values, offsets, expected);
  foldline::reduce_segments(Operation::sum, values, offsets, actual, {}, on_gpu);
  EXPECT_EQ(actual, expected);
}

// More results that sums in doubles are not certain of than the list of them holds: all are done again.
TEST_F(CudaSegments, ManyUncertainOnes) {
  constexpr std::size_t count = 100'000;
  std::vector<double> values;
  std::vector<std::int32_t> offsets = {0};
  for (std::size_t i = 0; i < count; ++i) {
    values.insert(values.end(), {0x1p900, 1, 0x1p-900, static_cast<double>(i), -0x1p900});
    offsets.push_back(static_cast<std::int32_t>(values.size()));
  }
  compare<double, double>(values, offsets, "uncertain");
}

TEST_F(CudaSegments, WrongOffsetsAreReported) {
  Lane lane;
  const std::vector<double> values(10, 1.0);
  const DeviceMemory<double> there{std::span(values)}, out(4);
  for (const std::vector<std::int64_t>& offsets :
       {std::vector<std::int64_t>{0, 5, 4, 8, 10}, {0, 2, 11, 12, 13}, {-1, 2, 3, 4, 5}}) {
    const std::int64_t first = offsets[0] < 0 ? 0 : 1;
    const DeviceMemory<std::int64_t> ends{std::span(offsets)};
    set_bytes(out.data(), 0xff, 4 * sizeof(double));
    async::reduce_segments(Operation::sum, foldline::VectorView(there.data(), 10),
                           foldline::VectorView(ends.data(), 5), MutableVectorView(out.data(), 4), {},
                           lane.queue());
    EXPECT_EQ(lane.take_status(), -1 - first);
    std::vector<double> results(4);
    check(cudaMemcpy(results.data(), out.data(), 4 * sizeof(double), cudaMemcpyDeviceToHost));
    EXPECT_TRUE(std::isnan(results[static_cast<std::size_t>(first)]));
    EXPECT_THROW(foldline::reduce_segments(Operation::sum, values, offsets, results, {}, on_gpu),
                 foldline::InvalidArgument);
  }
}

TEST_F(CudaSegments, IntegersAndTheirOverflow) {
  Lane lane;
  const std::vector<std::int32_t> values = {1, 2, 3, INT32_MAX, 5, -7};
  const std::vector<std::uint32_t> offsets = {0, 3, 3, 5, 6};
  std::vector<std::int32_t> sums(4);
  EXPECT_THROW(foldline::reduce_segments(Operation::sum, values, offsets, sums, {}, on_gpu),
               foldline::OverflowError);
  std::vector<std::int64_t> wide(4);
  foldline::reduce_segments(Operation::sum, values, offsets, wide, {}, on_gpu);
  EXPECT_EQ(wide, (std::vector<std::int64_t>{6, 0, std::int64_t{INT32_MAX} + 5, -7}));
  EXPECT_THROW(foldline::reduce_segments(Operation::minimum, values, offsets, sums, {}, on_gpu),
               foldline::InvalidArgument);
  const DeviceMemory<std::int32_t> there{std::span(values)}, out(4);
  const DeviceMemory<std::uint32_t> ends{std::span(offsets)};
  async::reduce_segments(Operation::sum, foldline::VectorView(there.data(), 6),
                         foldline::VectorView(ends.data(), 5), MutableVectorView(out.data(), 4), {},
                         lane.queue());
  EXPECT_EQ(lane.take_status(), -1 - 2);
}

// Twice in a graph, behind each other: what one leaves in the workspace is what the next one needs.
TEST_F(CudaSegments, InAGraph) {
  Lane lane;
  Random random(9);
  std::vector<double> values(500'000);
  for (double& value : values) value = random.real() - 0.5;
  std::vector<std::int64_t> offsets = {0};
  for (const std::int64_t length : segment_cases::random_lengths(2000, 9000, random))
    if (offsets.back() + length <= 500'000) offsets.push_back(offsets.back() + length);
  const std::int64_t count = std::ssize(offsets) - 1;
  std::vector<double> expected(static_cast<std::size_t>(count)), actual(expected);
  foldline::reduce_segments(Operation::variance, values, offsets, expected);
  const DeviceMemory<double> there{std::span(values)}, out(count);
  const DeviceMemory<std::int64_t> ends{std::span(offsets)};
  const auto work = [&] {
    for (int i = 0; i < 2; ++i)
      async::reduce_segments(Operation::variance, foldline::VectorView(there.data(), std::ssize(values)),
                             foldline::VectorView(ends.data(), count + 1),
                             MutableVectorView(out.data(), count), {}, lane.queue());
  };
  work();
  lane.wait();
  const cudaGraphExec_t graph = captured(lane, work);
  for (int i = 0; i < 3; ++i) {
    set_bytes(out.data(), 0xff, expected.size() * sizeof(double));
    check(cudaGraphLaunch(graph, lane.stream()));
    ASSERT_EQ(lane.take_status(), 0);
    check(cudaMemcpy(actual.data(), out.data(), expected.size() * sizeof(double), cudaMemcpyDeviceToHost));
    for (std::size_t k = 0; k < expected.size(); ++k)
      ASSERT_EQ(cases::bits_of(actual[k]), cases::bits_of(expected[k])) << k;
  }
  check(cudaGraphExecDestroy(graph));
}

}  // namespace
