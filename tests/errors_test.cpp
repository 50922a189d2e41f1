// What must be refused is refused before anything is read, with a message that says which operation it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "cases.hpp"

namespace {

using cases::Context;
using cases::ElementType;
using cases::Operation;
using foldline::Accuracy;
using foldline::InvalidArgument;
using foldline::Target;
using foldline::VectorView;

constexpr std::array operations = {Operation::sum,
                                   Operation::abs_sum,
                                   Operation::two_norm,
                                   Operation::root_mean_square,
                                   Operation::mean,
                                   Operation::variance,
                                   Operation::dot,
                                   Operation::weighted_mean,
                                   Operation::standard_deviation,
                                   Operation::standard_error};
constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();

/// Every operation on (x, y) must throw InvalidArgument, name itself, and mention `hint`.
void expect_refused(const VectorView& x, const VectorView& y, const std::string& hint,
                    const Context& context = {}, std::int64_t ddof = 0) {
  const auto expect = [&](const std::string& name, auto call) {
    try {
      call();
      ADD_FAILURE() << name << " accepted it";
    } catch (const InvalidArgument& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(name), std::string::npos) << message;
      EXPECT_NE(message.find(hint), std::string::npos) << message;
    }
  };
  for (const Operation operation : operations) {
    if (ddof != 0 && !oracle::has_ddof(operation)) continue;
    expect(std::string(name_of(operation)),
           [&] { cases::call(operation, x, y, ElementType::float64, ddof, context); });
  }
  if (ddof == 0) {
    expect("m", [&] { (void)foldline::minmax(x, context); });
    expect("statistics", [&] { (void)foldline::statistics(x, {}, context); });
  }
}

const double some[4] = {1, 2, 3, 4};

TEST(Errors, NegativeSize) {
  const VectorView bad(some, -1);
  expect_refused(bad, bad, "-1");
  expect_refused(VectorView(some, std::numeric_limits<std::int64_t>::min()), bad, "size");
}

TEST(Errors, NullWithASize) {
  const VectorView bad(static_cast<const double*>(nullptr), 3);
  expect_refused(bad, bad, "null");
}

TEST(Errors, AddressRangeThatOverflows) {
  for (const VectorView& bad :
       {VectorView(some, longest), VectorView(some, longest / 2, 3), VectorView(some, 3, longest),
        VectorView(some, 2, std::numeric_limits<std::int64_t>::min()), VectorView(some, longest, -longest),
        VectorView(some, std::int64_t{1} << 61, 1),
        VectorView(some, std::int64_t{1} << 31, std::int64_t{1} << 31)})
    expect_refused(bad, bad, "address");
}

TEST(Errors, SecondVectorMustMatch) {
  const std::vector<double> three = {1, 2, 3}, two = {1, 2};
  const std::vector<float> floats = {1, 2, 3};
  for (const Operation operation : {Operation::dot, Operation::weighted_mean}) {
    const auto refused = [&](const VectorView& x, const VectorView& y) -> std::string {
      try {
        cases::call(operation, x, y, ElementType::float64);
      } catch (const InvalidArgument& error) {
        return error.what();
      }
      return "accepted";
    };
    const std::string name(name_of(operation));
    const std::string sizes = refused(VectorView(three), VectorView(two));
    EXPECT_NE(sizes.find(name), std::string::npos) << sizes;
    EXPECT_NE(sizes.find('3'), std::string::npos) << sizes;
    EXPECT_NE(sizes.find('2'), std::string::npos) << sizes;
    EXPECT_EQ(refused(VectorView(three), VectorView(floats)), "accepted");
    EXPECT_NE(refused(VectorView(three), VectorView(static_cast<const double*>(nullptr), 3)), "accepted");
    EXPECT_NE(refused(VectorView(three), VectorView(some, -3)), "accepted");
  }
}

TEST(Errors, NegativeDdof) {
  const VectorView x(some, 4);
  expect_refused(x, x, "ddof", {}, -1);
  expect_refused(x, x, "ddof", {}, std::numeric_limits<std::int64_t>::min());
  EXPECT_THROW((void)foldline::statistics(x, {.ddof = -1}), InvalidArgument);
}

TEST(Errors, Threads) {
  const VectorView x(some, 4);
  expect_refused(x, x, "threads", {.execution = {.threads = -1}});
  expect_refused(x, x, "threads", {.execution = {.threads = 4097}});
  expect_refused(x, x, "threads", {.execution = {.threads = std::numeric_limits<int>::max()}});
  expect_refused(x, x, "threads",
                 {.accuracy = Accuracy::fast, .execution = {.threads = std::numeric_limits<int>::min()}});
  EXPECT_EQ(foldline::sum(x, {.execution = {.threads = 4096}}), 10);
}

TEST(Errors, TargetThatIsNotThere) {
  const VectorView x(some, 4);
  const auto available = foldline::available_targets();
  for (const Target target : {Target::avx2, Target::avx512, Target::neon}) {
    if (std::find(available.begin(), available.end(), target) != available.end()) continue;
    expect_refused(x, x, std::string(name_of(target)), {.execution = {.threads = 1, .target = target}});
    EXPECT_THROW((void)foldline::plan(Operation::sum, ElementType::float64, 4,
                                      {.execution = {.threads = 1, .target = target}}),
                 InvalidArgument);
  }
}

TEST(Errors, ContextIsCheckedForAnEmptyVectorToo) {
  const std::vector<double> empty;
  EXPECT_THROW((void)foldline::sum(empty, {.execution = {.threads = -1}}), InvalidArgument);
  EXPECT_THROW((void)foldline::variance(empty, {.ddof = -1}), InvalidArgument);
}

TEST(Errors, EmptyExtremaNameThemselves) {
  try {
    (void)foldline::minmax(std::vector<float>{});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("empty"), std::string::npos) << error.what();
  }
}

TEST(Errors, AreErrorsAndRuntimeErrors) {
  EXPECT_THROW((void)foldline::sum(VectorView(some, -1)), foldline::Error);
  EXPECT_THROW((void)foldline::sum(VectorView(some, -1)), std::runtime_error);
}

TEST(Errors, OverflowTellsTheProblemWithoutItsAdvice) {
  const std::uint64_t x[] = {UINT64_MAX, 1};
  try {
    (void)foldline::sum(x);
    FAIL() << "no error";
  } catch (const foldline::OverflowError& error) {
    EXPECT_EQ(error.problem(), "sum: the result 18446744073709551616 does not fit uint64");
    EXPECT_TRUE(error.can_wrap());
    EXPECT_TRUE(std::string_view(error.what()).starts_with(std::string(error.problem()) + "; "));
    const foldline::OverflowError copy = error;
    EXPECT_EQ(copy.problem(), error.problem());
  }
}

TEST(Errors, ADeviceThatIsNotThere) {
  EXPECT_EQ(foldline::gpus().empty(), !foldline::why_no_gpu().empty());
  for (const int index : {-1, 999}) {
    const Context there{.execution = {.device = foldline::Device::cuda(index)}};
    EXPECT_THROW(foldline::require_device(there.execution.device), InvalidArgument);
    EXPECT_THROW((void)foldline::sum(std::vector<double>{1}, there), InvalidArgument);
    // Making a plan asks no driver; a call that has nothing to do still does.
    EXPECT_EQ(foldline::plan(Operation::sum, ElementType::float64, 1, there).device.index, index);
    std::vector<double> out(1), none;
    EXPECT_THROW((void)foldline::sum(none, there), InvalidArgument);
    EXPECT_THROW(foldline::inclusive_scan(out, out, there), InvalidArgument);
    EXPECT_THROW(foldline::inclusive_scan(none, none, there), InvalidArgument);
    const foldline::MatrixView empty(none.data(), 3, 0);
    EXPECT_THROW(foldline::reduce_columns(Operation::sum, empty, none, {}, there), InvalidArgument);
  }
}

TEST(Errors, NumbersOfNoTypeOrOperation) {
  const auto no_type = static_cast<ElementType>(99);
  const auto no_operation = static_cast<Operation>(99);
  EXPECT_THROW(foldline::ColumnAccumulator(Operation::sum, no_type, 3), InvalidArgument);
  std::vector<double> x = {1, 2}, out(2);
  EXPECT_THROW(foldline::exclusive_scan(x, out, foldline::Scalar::from_floating(1.5, no_type)),
               InvalidArgument);
  foldline::Accumulator all(Operation::statistics);
  all.add(x);
  EXPECT_THROW((void)all.result<double>(no_operation), InvalidArgument);
  // A target that this machine lacks, whatever the device.
  const auto targets = foldline::available_targets();
  for (const foldline::Target target : {foldline::Target::neon, foldline::Target::avx512}) {
    if (std::ranges::find(targets, target) != targets.end()) continue;
    for (const foldline::Device device : {foldline::Device{}, foldline::Device::cuda()})
      EXPECT_THROW((void)foldline::plan(Operation::sum, ElementType::float64, 10,
                                        {.execution = {.device = device, .target = target}}),
                   InvalidArgument);
  }
}

TEST(Errors, ReduceTakesBracesForOptions) {
  const std::vector<double> x = {3, 4};
  std::vector<double> out(1);
  EXPECT_EQ(foldline::reduce(Operation::sum, x, {}).as<double>(), 7);
  EXPECT_EQ(foldline::reduce(Operation::two_norm, x, {}, {}).as<double>(), 5);
  foldline::reduce(Operation::sum, x, out, {}, {.accuracy = foldline::Accuracy::fast});
  EXPECT_EQ(out[0], 7);
  foldline::reduce(Operation::dot, x, x, out, {});
  EXPECT_EQ(out[0], 25);
}

TEST(Errors, CallsThatDoNotWaitNeedADeviceAndAWorkspace) {
  std::vector<double> x = {1, 2}, result(1), out(2);
  const auto expect_refused = [&](const foldline::async::Queue& queue, const Context& context) {
    EXPECT_THROW(foldline::async::sum(x, result.data(), queue, context), InvalidArgument);
    EXPECT_THROW(foldline::async::dot(x, x, result.data(), queue, context), InvalidArgument);
    EXPECT_THROW(foldline::async::inclusive_scan(x, out, queue, context), InvalidArgument);
    EXPECT_THROW(foldline::async::reduce_columns(Operation::sum, foldline::MatrixView(x.data(), 1, 2), out,
                                                 {}, queue, context),
                 InvalidArgument);
  };
  expect_refused({}, {});
  expect_refused({}, {.execution = {.device = foldline::Device::cuda()}});
  EXPECT_EQ(result, std::vector<double>(1));
  EXPECT_EQ(out, std::vector<double>(2));
  for (const foldline::Device device : {foldline::Device{}, foldline::Device::cuda(999)}) {
    EXPECT_THROW(foldline::DeviceWorkspace{device}, InvalidArgument);
    EXPECT_THROW((void)foldline::measure_bandwidth(device), InvalidArgument);
  }
}

TEST(Errors, WhatRunsOnTheCpuOnly) {
  const Context gpu{.execution = {.device = foldline::Device::cuda()}};
  const std::vector<double> x = {1, 2};
  std::vector<double> out(2);
  const foldline::ArrayView a(x.data(), ElementType::float64, std::vector<std::int64_t>{2, 1},
                              std::vector<std::int64_t>{1, 1});
  EXPECT_THROW(foldline::inclusive_scan_axis(a, 0,
                                             foldline::MutableArrayView(out.data(), ElementType::float64,
                                                                        std::vector<std::int64_t>{2, 1},
                                                                        std::vector<std::int64_t>{1, 1}),
                                             gpu),
               InvalidArgument);
}

}  // namespace
