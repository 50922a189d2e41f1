// The problem for the runner: the arrays of a rung, and the verification of its results.
#include <cstring>
#include <memory>
#include <string>

#include "memory/rungs.hpp"
#include "problems.hpp"
#include "runner/device.hpp"

namespace foldline::ladder {
namespace memory {
namespace {

constexpr std::int64_t max_elements = std::int64_t{1} << 30;

struct Data {
  std::vector<int> a, b;
};

class MemoryBench : public Workbench, public Bench {
 public:
  MemoryBench(const Data& data, const Rung& rung) : data_(data), rung_(rung) {}

  std::int64_t n() const override { return static_cast<std::int64_t>(data_.a.size()); }
  const int* a() override { return a_.get(data_.a); }
  const int* b() override { return b_.get(data_.b); }
  int* results(std::int64_t count) override { return results_.get(count); }
  float* cycles(std::int64_t count) override { return cycles_.get(count); }
  void* scratch(std::size_t bytes) override { return scratch_.get(static_cast<std::int64_t>(bytes)); }

  void refresh() override {
    results_.poison();
    cycles_.poison();
  }
  void start() override { rung_.run(*this); }
  /// Results stay on the device; check() copies them.
  void finish() override {}
  Check check() const override {
    const std::vector<int> found = results_.on_host();
    Check check{0, static_cast<std::int64_t>(found.size()), 0, ""};
    for (std::size_t i = 0; i < found.size(); ++i) {
      const int expected = rung_.expected(static_cast<std::int64_t>(i));
      check.correct += found[i] == expected;
      if (found[i] != expected && check.first_wrong.empty())
        check.first_wrong = "result " + std::to_string(i) + " is " + std::to_string(found[i]) + ", not " +
                            std::to_string(expected);
    }
    return check;
  }
  std::vector<std::byte> bits() const override {
    const std::vector<int> found = results_.on_host();
    std::vector<std::byte> bytes(found.size() * sizeof(int));
    if (!bytes.empty()) std::memcpy(bytes.data(), found.data(), bytes.size());
    return bytes;
  }
  std::int64_t work() const override { return n() * rung_.bytes_per_element; }
  std::vector<Table> tables() const override {
    if (rung_.tables == nullptr) return {};
    return rung_.tables(cycles_.on_host());
  }
  std::string printed() const override {
    return rung_.printed == nullptr ? "" : rung_.printed(results_.on_host());
  }

 private:
  const Data& data_;
  const Rung& rung_;
  DeviceArray<int> a_, b_, results_;
  DeviceArray<float> cycles_;
  DeviceArray<char> scratch_;
};

class Memory : public Instance {
 public:
  explicit Memory(std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      data_.a.push_back(static_cast<int>(i % 1000));
      data_.b.push_back(static_cast<int>(i % 77));
    }
  }
  std::string title() const override {
    return "kinds of memory; sums of " + std::to_string(data_.a.size()) + " ints";
  }
  std::int64_t work() const override { return 0; }
  std::unique_ptr<Workbench> set_up(std::size_t rung) const override {
    return std::make_unique<MemoryBench>(data_, rungs()[rung]);
  }

 private:
  Data data_;
};

}  // namespace
}  // namespace memory

Problem memory_problem() {
  using namespace memory;
  Problem problem{"memory",
                  "the kinds of memory: latencies, bandwidths, bank conflicts, caches, constants, textures",
                  {},
                  {"n", "data"},
                  {}};
  problem.simulated = {.n = std::int64_t{1} << 16};
  problem.rungs = infos_of(rungs());
  problem.instances = [](const Params& params) {
    constexpr std::int64_t texts = 5000;  // the length of its vectors
    const std::int64_t n = params.n.value_or(params.textbook ? texts : std::int64_t{1} << 24);
    if (n > max_elements) throw BadParam("memory takes 2^30 elements at most");
    return std::vector<InstanceMaker>{[=] { return std::make_unique<Memory>(n); }};
  };
  return problem;
}

}  // namespace foldline::ladder
