// The problem for the runner: inputs, their sums, and the arrays of a rung.
#include <cstring>
#include <numeric>
#include <utility>

#include "barrier/rungs.hpp"
#include "problems.hpp"
#include "reduce/rungs.hpp"
#include "runner/device.hpp"
#include "runner/random.hpp"

namespace foldline::ladder {
namespace reduce {
namespace {

/// The sum of a block of 1024 threads on the smallest GPU fits in an int.
constexpr std::int64_t max_elements = std::int64_t{1} << 30;

struct Data {
  std::vector<int> x;
  std::int64_t total = 0;
  int block = 512;
  bool textbook = false;
};

class ReduceBench : public Workbench, public Bench {
 public:
  ReduceBench(const Data& data, const Rung& rung) : data_(data), rung_(rung) {}

  std::int64_t n() const override { return static_cast<std::int64_t>(data_.x.size()); }
  int block() const override { return data_.block; }
  const int* host_x() const override { return data_.x.data(); }
  const int* x() override { return input_.get(data_.x); }
  int* destroyed_x() override {
    const bool first = !fresh_;
    fresh_.get(data_.x);
    int* const x = input_.get(n());
    if (first) input_.copy_from(fresh_);  // later refresh() does
    return x;
  }
  int* destroyed_host_x() override {
    if (!host_fresh_) host_copy_ = data_.x;
    host_fresh_ = true;  // from now on refresh() copies
    return host_copy_.data();
  }
  int* partials(std::int64_t count) override { return partials_.get(count); }
  std::int64_t* total() override { return total_.get(); }
  void set_total(std::int64_t total) override { result_ = total; }
  void* scratch(std::size_t bytes) override { return scratch_.get(static_cast<std::int64_t>(bytes)); }

  void refresh() override {
    if (fresh_) input_.copy_from(fresh_);
    if (host_fresh_) host_copy_ = data_.x;
    partials_.poison();
    total_.poison();
    result_ = -1;
  }
  void start() override { rung_.run(*this); }
  void finish() override {
    if (partials_) {
      const std::vector<int> partials = partials_.on_host();
      result_ = std::accumulate(partials.begin(), partials.end(), std::int64_t{0});
    }
    if (total_) result_ = total_.wait();
  }
  Check check() const override {
    if (rung_.info.kind == Kind::roof) return {};  // reads only
    if (result_ == data_.total) return {1, 1, 0, ""};
    return {0, 1, 0, "the sum is " + std::to_string(result_) + ", not " + std::to_string(data_.total)};
  }
  std::vector<std::byte> bits() const override {
    std::vector<std::byte> bytes(sizeof result_);
    std::memcpy(bytes.data(), &result_, sizeof result_);
    return bytes;
  }
  std::string printed() const override {
    return data_.textbook && rung_.info.kind != Kind::roof ? "sum " + std::to_string(result_) : "";
  }

 private:
  const Data& data_;
  const Rung& rung_;
  DeviceArray<int> input_, fresh_, partials_;
  HostNumber<std::int64_t> total_;
  DeviceArray<char> scratch_;
  std::vector<int> host_copy_;
  bool host_fresh_ = false;
  std::int64_t result_ = 0;
};

class SumOfInts : public Instance {
 public:
  SumOfInts(const std::vector<Rung>& rungs, std::int64_t n, int block, std::uint64_t seed, bool textbook)
      : rungs_(rungs) {
    Random random(seed);
    TextbookRandom texts(1);
    data_.block = block;
    data_.textbook = textbook;
    data_.x.resize(static_cast<std::size_t>(n));
    for (int& x : data_.x) {
      x = static_cast<int>(textbook ? texts.next() & 0xFF : random.below(256));
      data_.total += x;
    }
  }
  std::string title() const override {
    return "sum of " + std::to_string(data_.x.size()) + " ints" +
           (data_.textbook ? ", the text's rand() & 0xFF" : "") + ", blocks of " +
           std::to_string(data_.block);
  }
  std::int64_t work() const override { return static_cast<std::int64_t>(data_.x.size() * sizeof(int)); }
  std::unique_ptr<Workbench> set_up(std::size_t rung) const override {
    return std::make_unique<ReduceBench>(data_, rungs_[rung]);
  }

 private:
  const std::vector<Rung>& rungs_;
  Data data_;
};

Problem sum_problem(const std::string& name, const std::string& about, const std::vector<Rung>& rungs) {
  Problem problem{name, about, {}, {"n", "block", "data"}, {}};
  problem.simulated = {.n = std::int64_t{1} << 20};
  problem.rungs = infos_of(rungs);
  problem.instances = [name, &rungs](const Params& params) {
    const std::int64_t n = params.n.value_or(std::int64_t{1} << 24);
    if (n > max_elements)
      throw BadParam(name + " takes 2^30 elements at most: partial sums are ints, as in the texts");
    std::vector<InstanceMaker> makers;
    makers.emplace_back(
        [=, &rungs, block = params.block.value_or(512), seed = params.seed, textbook = params.textbook] {
          return std::make_unique<SumOfInts>(rungs, n, block, seed, textbook);
        });
    return makers;
  };
  return problem;
}

}  // namespace
}  // namespace reduce

Problem reduce_problem() {
  using namespace reduce;
  Problem problem =
      sum_problem("reduce", "the sum of ints, 2^24 of them unless --n says otherwise, in 64 bits", rungs());
  problem.attempt = {.declaration = "void solve(int* x, int n, int* sum)",
                     .variants = {{"", SolveSum::parameters()}},
                     .sizes = {{.n = 0}, {.n = 1}, {.n = 31}, {.n = 513}, {.n = 20011}},
                     .most_n = std::int64_t{1} << 24};  // their sum is an int
  return problem;
}

Problem barrier_problem() {
  return reduce::sum_problem(
      "barrier", "what goes wrong with __syncthreads in a branch, and its cure: sums of ints as in reduce",
      barrier::rungs());
}

}  // namespace foldline::ladder
