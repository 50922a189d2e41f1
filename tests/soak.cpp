// Random cases for as long as you like: soak --cases N | --seconds S [--seed X] [--jobs J], or --replay SEED
// --type NAME.
//
// A data set is made from one number, and serves every operation on every target; each of those is a case.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#if defined(__unix__)
#include <unistd.h>
#endif

#include "cases.hpp"

namespace {

using cases::ElementType;
using cases::Problem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t operation_count = 10, type_count = 4;

struct Options {
  std::int64_t cases = 0;
  double seconds = 0;
  std::uint64_t seed = 1;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  std::optional<std::uint64_t> replay;
  ElementType type = ElementType::float64;
};

[[noreturn]] void usage() {
  std::fputs(
      "usage: soak --cases N | --seconds S [--seed X] [--jobs J]\n"
      "       soak --replay SEED --type float16|bfloat16|float32|float64\n",
      stderr);
  std::exit(2);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) usage();
    const std::string name = argv[i];
    const char* value = argv[i + 1];
    char* end = nullptr;
    if (name == "--type") {
      bool known = false;
      for (const ElementType type : oracle::all_types)
        if (name_of(type) == value) {
          options.type = type;
          known = true;
        }
      if (!known) usage();
      continue;
    }
    if (name == "--seconds") {
      options.seconds = std::strtod(value, &end);
    } else {
      const std::uint64_t number = std::strtoull(value, &end, 10);
      if (name == "--cases") {
        options.cases = static_cast<std::int64_t>(number);
      } else if (name == "--seed") {
        options.seed = number;
      } else if (name == "--jobs") {
        options.jobs = static_cast<unsigned>(number);
      } else if (name == "--replay") {
        options.replay = number;
      } else {
        usage();
      }
    }
    if (end == value || *end != '\0') usage();
  }
  if (options.jobs == 0 || (options.cases <= 0 && options.seconds <= 0 && !options.replay)) usage();
  return options;
}

/// What all jobs share.
class Tally {
 public:
  void passed(foldline::Operation operation, ElementType type) {
    ++counts_[static_cast<std::size_t>(operation)][static_cast<std::size_t>(type)];
    ++passed_;
  }
  void failed(const std::string& message, const Problem& problem) {
    const std::lock_guard lock(mutex_);
    // The first few in full: a bug seldom comes alone.
    if (++failed_ <= 20) std::printf("MISMATCH %s\n", message.c_str());
    if (failed_ <= 3) std::fputs(problem.data_in_hex().c_str(), stdout);
    std::fflush(stdout);
  }
  std::int64_t passed() const { return passed_; }
  std::int64_t failed() const { return failed_; }
  std::int64_t total() const { return passed_ + failed_; }

  void print() const {
    std::printf("%-14s", "cases");
    for (const ElementType type : oracle::all_types) std::printf(" %12s", std::string(name_of(type)).c_str());
    std::puts("");
    for (std::size_t operation = 0; operation < operation_count; ++operation) {
      std::printf("%-14s", std::string(name_of(static_cast<foldline::Operation>(operation))).c_str());
      for (const auto& count : counts_[operation]) std::printf(" %12lld", static_cast<long long>(count));
      std::puts("");
    }
  }

 private:
  std::array<std::array<std::atomic<std::int64_t>, type_count>, operation_count> counts_{};
  std::atomic<std::int64_t> passed_ = 0, failed_ = 0;
  std::mutex mutex_;
};

void run(Problem& problem, bool with_mpfr, Tally& tally) {
  // Twice: other result types, thread counts and ddof on the same data.
  for (int draw = 0; draw < 2; ++draw)
    for (const Problem::Case& one : problem.cases()) {
      const std::string wrong = problem.check(one);
      if (wrong.empty()) {
        tally.passed(one.operation, problem.type());
      } else {
        tally.failed(wrong, problem);
      }
    }
  if (!with_mpfr) return;
  const std::string wrong = problem.check_oracles();
  if (!wrong.empty()) tally.failed(wrong, problem);
}

/// Idle OpenMP workers spin for milliseconds by default and take the cores from the other jobs: 15 times
/// fewer cases per second. The runtime reads its settings when it is loaded, so the program starts itself
/// anew.
void make_idle_workers_sleep(char** argv) {
#if defined(__unix__)
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  setenv("OMP_WAIT_POLICY", "passive", 1);
  execv("/proc/self/exe", argv);  // comes back only if it fails: then slowly
#else
  static_cast<void>(argv);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  make_idle_workers_sleep(argv);
  Tally tally;
  if (options.replay) {
    Problem problem(*options.replay, options.type);
    run(problem, true, tally);
    std::printf("%lld passed, %lld failed\n", static_cast<long long>(tally.passed()),
                static_cast<long long>(tally.failed()));
    return tally.failed() == 0 ? 0 : 1;
  }

  const Clock::time_point start = Clock::now();
  const auto elapsed = [start] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const auto finished = [&] {
    return (options.cases > 0 && tally.total() >= options.cases) ||
           (options.seconds > 0 && elapsed() >= options.seconds);
  };
  std::atomic<std::uint64_t> next = 0;
  std::vector<std::thread> jobs;
  for (unsigned job = 0; job < options.jobs; ++job)
    jobs.emplace_back([&] {
      while (!finished()) {
        const std::uint64_t index = next++;
        // Far apart, so that two runs with other seeds share no data set.
        const std::uint64_t seed = generators::Random(options.seed * 0x100000001b3u + index).bits();
        Problem problem(seed, oracle::all_types[index % type_count]);
        run(problem, index % 256 == 0, tally);
      }
    });

  double next_report = 10;
  while (!finished()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (elapsed() < next_report) continue;
    std::printf("%8.0f s  %lld cases, %lld failed\n", elapsed(), static_cast<long long>(tally.total()),
                static_cast<long long>(tally.failed()));
    std::fflush(stdout);
    next_report += 10;
  }
  for (std::thread& job : jobs) job.join();
  tally.print();
  std::printf("%llu data sets in %.1f s, seed %llu\n", static_cast<unsigned long long>(next.load()),
              elapsed(), static_cast<unsigned long long>(options.seed));
  std::printf("%lld passed, %lld failed\n", static_cast<long long>(tally.passed()),
              static_cast<long long>(tally.failed()));
  return tally.failed() == 0 ? 0 : 1;
}
