// The problem for the runner: random ints, their prefix sums, and the arrays of a rung.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "problems.hpp"
#include "runner/device.hpp"
#include "runner/random.hpp"
#include "scan/rungs.hpp"

namespace foldline::ladder {
namespace scan {
namespace {

constexpr std::int64_t max_elements = std::int64_t{1} << 30;

/// Elements from -9 to 9: for any length, no prefix sum comes near the limits of int.
struct Data {
  std::vector<int> x, sums;
  int block = 512;
};

class ScanBench : public Workbench, public Bench {
 public:
  ScanBench(const Data& data, const Rung& rung) : data_(data), rung_(rung) {}

  std::int64_t n() const override { return static_cast<std::int64_t>(data_.x.size()); }
  int block() const override { return data_.block; }
  const int* host_x() const override { return data_.x.data(); }
  const int* x() override { return x_.get(data_.x); }
  int* out() override { return out_.get(n()); }
  int* host_out() override {
    result_.resize(data_.x.size());
    return result_.data();
  }
  void* scratch(std::size_t bytes) override { return scratch_.get(static_cast<std::int64_t>(bytes)); }

  void refresh() override {
    out_.poison();
    std::ranges::fill(result_, -1);
  }
  void start() override { rung_.run(*this); }
  /// Prefix sums stay on the device; check() and bits() copy them.
  void finish() override {}
  Check check() const override {
    if (rung_.info.kind == Kind::roof) return {};  // copies only
    const std::vector<int> found = result();
    const auto wrong = std::ranges::mismatch(found, data_.sums);
    Check check{0, n(), 0, ""};
    for (std::size_t i = 0; i < found.size(); ++i) check.correct += found[i] == data_.sums[i];
    if (wrong.in1 != found.end())
      check.first_wrong = "sum " + std::to_string(wrong.in1 - found.begin()) + " is " +
                          std::to_string(*wrong.in1) + ", not " + std::to_string(*wrong.in2);
    return check;
  }
  std::vector<std::byte> bits() const override {
    const std::vector<int> found = result();
    std::vector<std::byte> bytes(found.size() * sizeof(int));
    if (!bytes.empty()) std::memcpy(bytes.data(), found.data(), bytes.size());
    return bytes;
  }

 private:
  std::vector<int> result() const { return out_ ? out_.on_host() : result_; }

  const Data& data_;
  const Rung& rung_;
  DeviceArray<int> x_, out_;
  DeviceArray<char> scratch_;
  std::vector<int> result_;
};

class PrefixSums : public Instance {
 public:
  PrefixSums(std::int64_t n, int block, std::uint64_t seed) {
    Random random(seed);
    data_.block = block;
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      data_.x.push_back(static_cast<int>(random.below(19)) - 9);
      sum += data_.x.back();
      data_.sums.push_back(static_cast<int>(sum));
    }
  }
  std::string title() const override {
    return "inclusive prefix sums of " + std::to_string(data_.x.size()) + " ints, blocks of " +
           std::to_string(data_.block);
  }
  std::int64_t work() const override { return static_cast<std::int64_t>(2 * data_.x.size() * sizeof(int)); }
  std::unique_ptr<Workbench> set_up(std::size_t rung) const override {
    return std::make_unique<ScanBench>(data_, rungs()[rung]);
  }

 private:
  Data data_;
};

}  // namespace
}  // namespace scan

Problem scan_problem() {
  using namespace scan;
  Problem problem{"scan",
                  "the inclusive prefix sums of ints, 2^24 of them unless --n says otherwise",
                  {},
                  {"n", "block", "data"},
                  {}};
  problem.simulated = {.n = std::int64_t{1} << 18};
  problem.attempt = {.declaration = "void solve(const int* x, int n, int* sums)",
                     .variants = {{"", SolveScan::parameters()}},
                     .sizes = {{.n = 0}, {.n = 1}, {.n = 33}, {.n = 513}, {.n = 4097}, {.n = 20011}}};
  problem.rungs = infos_of(rungs());
  problem.instances = [](const Params& params) {
    const std::int64_t n = params.n.value_or(std::int64_t{1} << 24);
    if (n > max_elements) throw BadParam("scan takes 2^30 elements at most");
    std::vector<InstanceMaker> makers;
    makers.emplace_back([=, block = params.block.value_or(params.textbook ? 1024 : 512), seed = params.seed] {
      return std::make_unique<PrefixSums>(n, block, seed);
    });
    return makers;
  };
  return problem;
}

}  // namespace foldline::ladder
