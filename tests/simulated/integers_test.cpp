// The library's kernels of integers, run by the simulator: every operation on every type, bit for bit against
// GMP, with any number of blocks in any order. Races, reads of what nobody has written, and accesses out of
// bounds are found, too, and the workspace must be left zero.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <simt/simt.hpp>
#include <span>
#include <sstream>

#include "cuda/reduce/launch.hpp"
#include "cuda/reduce/round_result.hpp"
#include "integer_cases.hpp"
#include "results/rounded_results.hpp"
#include "start_kernel.hpp"

namespace {

using foldline::ElementType;
using foldline::Operation;
using foldline::Overflow;
using foldline::Reduction;
using foldline::cuda::KernelResult;
using foldline::cuda::Launch;
using foldline::cuda::ResultTask;
using integer_cases::Random;
using integer_cases::Words;
using oracle::Answer;

/// Memory of the simulated device.
class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t size) : size_(size) {
    if (cudaMalloc(&data_, size) != cudaSuccess) throw std::bad_alloc();
  }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  ~DeviceBytes() { cudaFree(data_); }

  template <class T = std::byte>
  T* as() const {
    return static_cast<T*>(data_);
  }
  void fill(int byte) { cudaMemset(data_, byte, size_); }
  std::vector<unsigned char> content() const {
    std::vector<unsigned char> bytes(size_);
    cudaMemcpy(bytes.data(), data_, size_, cudaMemcpyDeviceToHost);
    return bytes;
  }

 private:
  void* data_ = nullptr;
  std::size_t size_;
};

std::int64_t launch_contiguous(const Reduction& reduction, const Launch& launch) {
  std::int64_t done = 0;
  foldline::detail::visit_type(reduction.x.type(), [&]<class T>(std::type_identity<T>) {
    if constexpr (!foldline::FloatingElement<T>)
      done = foldline::cuda::launch_contiguous_as<foldline::element_type_of<T>>(reduction, launch);
  });
  return done;
}

/// Sizes around what a thread, a block, and all blocks take at a time.
std::int64_t random_size(ElementType type, Random& random) {
  const std::int64_t block = 384, tile = block * 16 / size_of(type) * (random.coin() ? 2 : 4);
  switch (random.between(0, 3)) {
    case 0:
      return random.between(1, 40);
    case 1:
      return block * random.between(1, 3) + random.between(-17, 17);
    case 2:
      return tile * random.between(1, 4) + random.between(-2, 2);
    default:
      return random.log_uniform(5 * tile);
  }
}

/// A vector in the device's memory, anywhere between multiples of 16 bytes.
class DeviceVector {
 public:
  DeviceVector(const Words& words, ElementType type, std::int64_t head)
      : memory_((words.size() + 16) * static_cast<std::size_t>(size_of(type))),
        view_(memory_.as() + head * size_of(type), type, static_cast<std::int64_t>(words.size())) {
    const auto size = static_cast<std::size_t>(size_of(type));
    std::vector<std::byte> elements(words.size() * size);
    for (std::size_t i = 0; i < words.size(); ++i) std::memcpy(&elements[i * size], &words[i], size);
    cudaMemcpy(memory_.as() + head * size_of(type), elements.data(), elements.size(), cudaMemcpyHostToDevice);
  }
  const foldline::VectorView& view() const { return view_; }

 private:
  DeviceBytes memory_;
  foldline::VectorView view_;
};

mpz_class total_of(const foldline::cuda::SumWords& sum) {
  EXPECT_EQ(sum.exponent, 0);
  for (const std::int64_t special : sum.special) EXPECT_EQ(special, 0);
  mpz_class total = 0;
  for (int i = sum.words; i-- > 0;) total = (total << 32) + static_cast<long>(sum.word[i]);
  return total;
}

/// Totals of all kinds, as the kernel leaves them for the host.
struct Totals {
  mpz_class values = 0, magnitudes = 0, squares = 0, products = 0, weights = 0, lowest, highest;

  Totals(ElementType type, const Words& x, const Words& y) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const mpz_class value = oracle::value_of(x[i], type), weight = oracle::value_of(y[i], type);
      values += value, magnitudes += abs(value), squares += value * value;
      products += value * weight, weights += weight;
      if (i == 0 || value < lowest) lowest = value;
      if (i == 0 || value > highest) highest = value;
    }
  }
};

class SimulatedIntegers : public testing::TestWithParam<ElementType> {
 protected:
  void SetUp() override {
    simt::options().trace = simt::options().lines = false;
    workspace_.fill(0);
  }
  void TearDown() override {
    simt::options() = before_;
    simulated::blocks = 0;
  }

  /// Any order, any number of multiprocessors and of blocks.
  Launch random_launch(Random& random) {
    simt::options().order = static_cast<simt::Order>(random.between(0, 2));
    simt::options().seed = random.bits();
    simulated::blocks = random.one_in(3) ? static_cast<int>(random.between(1, 40)) : 0;
    result_.fill(0x3f);  // what nobody needs is not read
    return {workspace_.as<foldline::cuda::Workspace>(), result_.as<KernelResult>(), nullptr,
            static_cast<int>(random.between(1, 5)), nullptr};
  }
  void expect_workspace_is_zero() const {
    const auto bytes = workspace_.content();
    EXPECT_EQ(std::ranges::count(bytes, 0), std::ssize(bytes));
  }

  void expect_right_result(const Reduction& reduction, Operation operation, const oracle::Integers& oracle,
                           Random& random);
  void expect_right_totals(const Reduction& reduction, const Totals& totals, Random& random);

 private:
  simt::Options before_ = simt::options();
  DeviceBytes workspace_{foldline::cuda::workspace_bytes}, result_{sizeof(KernelResult)}, out_{32},
      status_{sizeof(unsigned long long)};
};

void SimulatedIntegers::expect_right_result(const Reduction& reduction, Operation operation,
                                            const oracle::Integers& oracle, Random& random) {
  const ElementType type = integer_cases::random_result(operation, random);
  const std::int64_t ddof = oracle::has_ddof(operation) ? random.between(0, 2) : 0, at = random.between(0, 9);
  const Overflow overflow = random.coin() ? Overflow::wrap : Overflow::error;
  Launch launch = random_launch(random);
  const ResultTask task = {.sums = nullptr,
                           .count = reduction.x.size(),
                           .elements = reduction.x.type(),
                           .result = {operation, ddof, out_.as() + at, type},
                           .needs = reduction.needs,
                           .is_integer = !is_floating(type),
                           .wrap = overflow == Overflow::wrap,
                           .bytes = static_cast<int>(size_of(type)),
                           .format = foldline::format_of(type),
                           .integer_format = foldline::integer_format_of(type),
                           .status = status_.as<unsigned long long>()};
  launch.round = &task;
  out_.fill(0x5c);
  status_.fill(0);
  EXPECT_EQ(launch_contiguous(reduction, launch), reduction.x.size());

  const Answer answer = oracle.result(operation, type, ddof, overflow);
  std::vector<unsigned char> expected(32, 0x5c);
  if (answer.kind == Answer::Kind::value)
    std::memcpy(expected.data() + at, &answer.bits, static_cast<std::size_t>(task.bytes));
  EXPECT_EQ(out_.content(), expected) << "as " << name_of(type) << ", ddof " << ddof << ", at " << at;
  const auto status = status_.content();
  EXPECT_EQ(std::ranges::count(status, 0) != std::ssize(status), answer.kind == Answer::Kind::overflow);
}

void SimulatedIntegers::expect_right_totals(const Reduction& reduction, const Totals& totals,
                                            Random& random) {
  const Launch launch = random_launch(random);
  EXPECT_EQ(launch_contiguous(reduction, launch), reduction.x.size());
  KernelResult result;
  cudaMemcpy(&result, launch.result, sizeof result, cudaMemcpyDeviceToHost);
  const foldline::Needs& needs = reduction.needs;
  const auto expect = [&](bool is_needed, int sum, const mpz_class& total) {
    if (is_needed) {
      EXPECT_EQ(total_of(result.sum[sum]), total);
    }
  };
  expect(needs.values, 0, reduction.two_vectors ? totals.weights : totals.values);
  expect(needs.magnitudes, 1, totals.magnitudes);
  expect(needs.squares, 2, totals.squares);
  expect(needs.products, 2, totals.products);
  EXPECT_EQ(result.only_negative_zeros, 0);
  if (!needs.extrema) return;
  const mpz_class bias = reduction.x.type() == ElementType::uint64 ? mpz_class(1) << 63 : mpz_class(0);
  EXPECT_EQ(result.lowest_key, mpz_class(totals.lowest - bias));
  EXPECT_EQ(result.highest_key, mpz_class(totals.highest - bias));
}

TEST_P(SimulatedIntegers, AreRightInAnyOrder) {
  const ElementType type = GetParam();
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Random random(seed * 16 + static_cast<std::uint64_t>(type));
    const auto generator = integer_cases::pick(integer_cases::all_generators, random);
    Words x = generate(generator, type, random_size(type, random), random), y = x;
    if (random.coin()) y = generate(integer_cases::Generator::extremes, type, std::ssize(x), random);
    if (x.empty()) continue;  // no launch
    const std::int64_t head = random.coin() ? 0 : random.between(0, 16 / size_of(type) - 1);
    const DeviceVector on_device_x(x, type, head), on_device_y(y, type, head);
    oracle::Integers oracle;
    oracle.load(type, x, y);
    const Totals totals(type, x, y);
    for (const foldline::OperationTraits& traits : foldline::operation_table) {
      SCOPED_TRACE((std::ostringstream()
                    << traits.name << " of " << x.size() << ", head " << head << ", seed " << seed)
                       .str());
      const Reduction reduction = {traits.needs, on_device_x.view(), on_device_y.view(), traits.two_vectors};
      expect_right_totals(reduction, totals, random);
      if (traits.operation != Operation::statistics)
        expect_right_result(reduction, traits.operation, oracle, random);
      expect_workspace_is_zero();
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, SimulatedIntegers, testing::ValuesIn(integer_cases::all_types),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
