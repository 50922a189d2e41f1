// Random cases for as long as you like: soak --cases N | --seconds S [--family F] [--seed X] [--jobs J]
// [--device cuda], or --replay SEED --family F [--type NAME].
//
// A data set is made from one number, and serves every operation on every target; each of those is a case. A
// scan and a matrix product are done on every target, too; a reduction along an axis on one of them.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#if defined(__unix__)
#include <unistd.h>
#endif

#include "axes_cases.hpp"
#include "cases.hpp"
#include "integer_cases.hpp"
#include "matrix_cases.hpp"
#include "scan_axis_cases.hpp"
#include "scan_cases.hpp"
#include "segment_cases.hpp"

namespace {

using cases::ElementType;
using Clock = std::chrono::steady_clock;

constexpr std::size_t operation_count = 14, type_count = foldline::element_types.size();

enum class Family : std::uint8_t { floating, integers, axes, scan, products, segments };
constexpr std::array<std::string_view, 6> family_names = {"floating", "integers", "axes",
                                                          "scan",     "products", "segments"};

struct Options {
  std::vector<Family> families = {Family::floating, Family::integers, Family::axes,
                                  Family::scan,     Family::products, Family::segments};
  std::int64_t cases = 0;
  double seconds = 0;
  std::uint64_t seed = 1;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  std::optional<std::uint64_t> replay;
  std::optional<ElementType> type;
};

[[noreturn]] void usage() {
  std::fputs(
      "usage: soak --cases N | --seconds S [--family FAMILY] [--seed X] [--jobs J]\n"
      "            [--device cpu|cuda]\n"
      "       soak --replay SEED --family FAMILY [--type TYPE]     (the type of floating and integers)\n"
      "families: floating, integers, axes, scan, products, segments\n"
      "\n"
      "A case is one call, all of whose results are compared with the oracle's. A data set serves\n"
      "  floating, integers  every operation on every target, twice;\n"
      "  scan, products      one call on every target;\n"
      "  axes, segments      one call on one target; one in five of segments has keys, and two have a "
      "mask, instead.\n"
      "Sizes are log-uniform: a vector has up to 4096 elements or, one integer vector in three, about\n"
      "a power of two up to 16384; a scan up to 3000, one in eight 20000, of integers 4000; an array\n"
      "up to 2048, one in sixteen of floating-point numbers 16384. With more jobs than cores, a job\n"
      "whose call waits for its threads leaves its core to another.\n",
      stderr);
  std::exit(2);
}

std::optional<ElementType> type_named(std::string_view name) {
  for (const ElementType type : foldline::element_types)
    if (name_of(type) == name) return type;
  return std::nullopt;
}

/// Sets what a word and not a number says; false if `name` is no such option.
bool parse_word(Options& options, const std::string& name, std::string_view value) {
  if (name == "--type") {
    if (!(options.type = type_named(value))) usage();
  } else if (name == "--family") {
    const auto* const found = std::find(family_names.begin(), family_names.end(), value);
    if (found == family_names.end()) usage();
    options.families = {static_cast<Family>(found - family_names.begin())};
  } else if (name == "--device") {
    if (value != "cpu" && value != "cuda") usage();
    if (value == "cuda") cases::run_on(foldline::Device::cuda());
  } else {
    return false;
  }
  return true;
}

/// Whether a case can be done again with what is given.
bool can_replay(const Options& options) {
  if (options.families.size() != 1) return false;
  const Family family = options.families.front();
  if (family != Family::floating && family != Family::integers) return true;
  return options.type && is_floating(*options.type) == (family == Family::floating);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) usage();
    const std::string name = argv[i];
    const char* value = argv[i + 1];
    char* end = nullptr;
    if (parse_word(options, name, value)) continue;
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
  if (options.replay && !can_replay(options)) usage();
  return options;
}

/// Where a type is in the table that is printed.
std::size_t column_of(ElementType type) {
  return static_cast<std::size_t>(std::ranges::find(foldline::element_types, type) -
                                  foldline::element_types.begin());
}

/// What all jobs share.
class Tally {
 public:
  /// `row`: an operation, or behind these a family.
  void passed(std::size_t row, std::size_t column, std::size_t cases = 1) {
    counts_[row][column] += static_cast<std::int64_t>(cases);
    passed_ += static_cast<std::int64_t>(cases);
  }
  void failed(const std::string& message, const std::string& data) {
    const std::lock_guard lock(mutex_);
    // The first few in full: a bug seldom comes alone.
    if (++failed_ <= 20) std::printf("MISMATCH %s\n", message.c_str());
    if (failed_ <= 3) std::fputs(data.c_str(), stdout);
    std::fflush(stdout);
  }
  std::int64_t passed() const { return passed_; }
  std::int64_t failed() const { return failed_; }
  std::int64_t total() const { return passed_ + failed_; }

  void print() const {
    std::printf("%-18s", "cases");
    for (const ElementType type : foldline::element_types)
      std::printf(" %9s", std::string(name_of(type)).c_str());
    std::puts("");
    for (std::size_t row = 0; row < operation_count; ++row) {
      if (std::ranges::all_of(counts_[row], [](const auto& count) { return count == 0; })) continue;
      std::printf("%-18s", std::string(name_of(static_cast<foldline::Operation>(row))).c_str());
      for (const auto& count : counts_[row]) std::printf(" %9lld", static_cast<long long>(count));
      std::puts("");
    }
    for (const Family family : {Family::axes, Family::scan, Family::products, Family::segments})
      std::printf("%-18s %9lld\n", std::string(family_names[static_cast<std::size_t>(family)]).c_str(),
                  static_cast<long long>(counts_[row_of(family)][0]));
  }

  static std::size_t row_of(Family family) { return operation_count + static_cast<std::size_t>(family); }

 private:
  std::array<std::array<std::atomic<std::int64_t>, type_count>, operation_count + family_names.size()>
      counts_{};
  std::atomic<std::int64_t> passed_ = 0, failed_ = 0;
  std::mutex mutex_;
};

/// Twice: other result types, thread counts and ddof on the same data.
constexpr int draws = 2;

void run_floating(std::uint64_t seed, ElementType type, bool with_mpfr, Tally& tally) {
  cases::Problem problem(seed, type);
  for (int draw = 0; draw < draws; ++draw)
    for (const cases::Problem::Case& one : problem.cases()) {
      const std::string wrong = problem.check(one);
      if (wrong.empty())
        tally.passed(static_cast<std::size_t>(one.operation), column_of(type));
      else
        tally.failed(wrong, problem.data_in_hex());
    }
  if (!with_mpfr) return;
  const std::string wrong = problem.check_oracles();
  if (!wrong.empty()) tally.failed(wrong, problem.data_in_hex());
}

void run_integers(std::uint64_t seed, ElementType type, Tally& tally) {
  integer_cases::Problem problem(seed, type);
  for (int draw = 0; draw < draws; ++draw)
    for (const integer_cases::Call& one : problem.calls()) {
      const std::string wrong = problem.check(one);
      if (wrong.empty())
        tally.passed(static_cast<std::size_t>(one.operation), column_of(type));
      else
        tally.failed(wrong, "");
    }
}

/// Of floating-point numbers and of integers by turns.
void run_axes(std::uint64_t seed, Tally& tally) {
  std::string wrong;
  if (seed % 2 == 0)
    axes_cases::check_random_axes_case(seed, wrong);
  else
    wrong = integer_cases::check_random_axis(seed);
  if (wrong.empty())
    tally.passed(Tally::row_of(Family::axes), 0);
  else
    tally.failed(wrong, "");
}

/// Of vectors, by turns of floating-point numbers and of integers, and one in four along an axis.
void run_scan(std::uint64_t seed, Tally& tally) {
  std::string wrong;
  if (seed % 4 == 2) {
    for (const foldline::Context& processor : cases::processors())
      if (wrong.empty())
        wrong = axes_cases::check_random_axis_scan(seed, processor.execution.device,
                                                   [&](const auto& a, const auto& out, const auto& call) {
                                                     return axes_cases::scan_axis(a, out, call, processor);
                                                   });
  } else if (seed % 2 == 0)
    cases::check_random_scan_case(seed, wrong);
  else
    wrong = integer_cases::check_random_scan(seed);
  if (wrong.empty())
    tally.passed(Tally::row_of(Family::scan), 0, cases::processors().size());
  else
    tally.failed(wrong, "");
}

void run_product(std::uint64_t seed, Tally& tally) {
  for (const foldline::Context& processor : cases::processors()) {
    const std::string wrong = matrix_cases::check_random_product(seed, processor);
    if (!wrong.empty()) return tally.failed(wrong, "");
    tally.passed(Tally::row_of(Family::products), 0);
  }
}

/// Of segments, and one in five each of groups, of a vector's mask and of masks along axes.
void run_segments(std::uint64_t seed, Tally& tally) {
  const std::string wrong = seed % 5 == 0   ? segment_cases::check_random_groups(seed)
                            : seed % 5 == 1 ? segment_cases::check_random_mask(seed)
                            : seed % 5 == 2 ? segment_cases::check_random_masked_axes(seed)
                                            : segment_cases::check_random_segments(seed);
  if (wrong.empty())
    tally.passed(Tally::row_of(Family::segments), 0);
  else
    tally.failed(wrong, "");
}

/// Data set number `index` of a family. The types take turns unless one is asked for.
void run(Family family, std::uint64_t index, std::uint64_t seed, std::optional<ElementType> type,
         Tally& tally) {
  switch (family) {
    case Family::floating:
      return run_floating(seed, type.value_or(oracle::all_types[index % oracle::all_types.size()]),
                          index % 256 == 0, tally);
    case Family::integers:
      return run_integers(
          seed, type.value_or(integer_cases::all_types[index % integer_cases::all_types.size()]), tally);
    case Family::axes:
      return run_axes(seed, tally);
    case Family::scan:
      return run_scan(seed, tally);
    case Family::products:
      return run_product(seed, tally);
    case Family::segments:
      return run_segments(seed, tally);
  }
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
    run(options.families.front(), 0, *options.replay, options.type, tally);
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
        const std::size_t families = options.families.size();
        run(options.families[index % families], index / families, seed, options.type, tally);
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
  std::printf("%llu data sets in %.1f s, %.0f cases a second, seed %llu\n",
              static_cast<unsigned long long>(next.load()), elapsed(),
              static_cast<double>(tally.total()) / elapsed(), static_cast<unsigned long long>(options.seed));
  std::printf("%lld passed, %lld failed\n", static_cast<long long>(tally.passed()),
              static_cast<long long>(tally.failed()));
  return tally.failed() == 0 ? 0 : 1;
}
