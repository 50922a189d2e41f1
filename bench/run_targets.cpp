// Measures what the targets need.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "arrays.hpp"
#include "machine.hpp"
#include "report.hpp"
#include "run.hpp"
#include "target_list.hpp"
#include "targets.hpp"

namespace foldline::bench {
namespace {

using Targets = std::vector<Target>;

std::vector<int> thread_counts() { return cores() > 1 ? std::vector<int>{cores(), 1} : std::vector<int>{1}; }

bool wanted(const Targets& targets, const Case& group, bool in_memory = false) {
  return std::ranges::any_of(targets, [&](const Target& target) {
    return target.in_memory == in_memory && target.group() == name_of(group);
  });
}

void show_progress(const char* data, const std::string& what, int threads) {
  fmt::print(stderr, "{} data, {}, {} threads\n", data, what, threads);
}

/// Adds the targets' contestants of one type, kind of data, size and number of threads.
template <FloatingElement T>
void add_reductions(Round& round, const Problem<T>& problem, const char* data, bool in_memory,
                    const Targets& targets) {
  for (const OperationEntry<T>& operation : operations<T>())
    if (wanted(targets, case_of(operation, problem, data), in_memory))
      round.add(operation, problem, data, in_memory);
}

void run_reductions(const Options& options, const Targets& targets, const char* data, Results& results) {
  const std::int64_t memory = options.targets_size;
  const Array<double> x = make_array<double>(std::max<std::int64_t>(memory, 1 << 16), data, 1);
  const Array<double> y = make_array<double>(memory, data, 2);
  const Array<float> z = make_array<float>(memory, data, 1);
  for (const bool in_memory : {true, false}) {
    for (const std::int64_t size :
         in_memory ? std::vector{memory} : std::vector<std::int64_t>{1 << 14, 1 << 16, 64, 512}) {
      for (const int threads : thread_counts()) {
        limit_threads(threads);
        // All operations of one size in one round, float with double: the roof is any of them.
        Round round;
        add_reductions(round, Problem<double>{x.get(), y.get(), size, threads}, data, in_memory, targets);
        if (in_memory)
          add_reductions(round, Problem<float>{z.get(), nullptr, size, threads}, data, in_memory, targets);
        if (round.empty()) continue;
        show_progress(data, size_text(size) + " elements", threads);
        round.run(options.method, results);
      }
    }
  }
}

/// One round for each number of threads; the copies that are the roof take turns with the scans.
template <Element T>
void run_scans(const Options& options, const Targets& targets, const char* data, Results& results) {
  const auto scan = std::ranges::find(operations<T>(), "inclusive_scan", &OperationEntry<T>::name);
  const std::int64_t size = target_scan_size(options);
  Array<T> x;
  for (const int threads : thread_counts()) {
    if (!wanted(targets, case_of(*scan, Problem<T>{nullptr, nullptr, size, threads}, data))) continue;
    if (!x) x = make_array<T>(size, data, 1);
    limit_threads(threads);
    show_progress(data, fmt::format("scan of {} {}", size_text(size), name_of(element_type_of<T>)), threads);
    Round round;
    round.add(*scan, Problem<T>{x.get(), nullptr, size, threads}, data, false);
    round.run(options.method, results);
  }
}

void run_columns(const Options& options, const Targets& targets, const char* data, Results& results) {
  for (const Shape& shape : target_shapes(options)) {
    const OperationEntry<double> sums = column_sums_of<double>(shape);
    Problem<double> problem = {nullptr, nullptr, shape.rows * shape.columns, cores()};
    if (!wanted(targets, case_of(sums, problem, data))) continue;
    const Array<double> x = make_array<double>(problem.size, data, 1);
    problem.x_data = x.get();
    limit_threads(problem.threads);
    show_progress(data, sums.name, problem.threads);
    Round round;
    round.add(sums, problem, data, true);
    round.run(options.method, results);
  }
}

}  // namespace

void run_targets(const Options& options, Results& results) {
  const Targets targets = selected_targets(options);
  for (const char* const data : {"uniform", "normal", "wide"}) {
    const auto any_of = [&](auto is_of_part) {
      return std::ranges::any_of(
          targets, [&](const Target& target) { return target.data == data && is_of_part(target.operation); });
    };
    const auto is_scan = [](const std::string& name) { return name == "inclusive_scan"; };
    const auto is_columns = [](const std::string& name) { return name.starts_with("column_sums:"); };
    // Not to make hundreds of millions of numbers for nothing.
    if (any_of([&](const std::string& name) { return !is_scan(name) && !is_columns(name); }))
      run_reductions(options, targets, data, results);
    run_scans<double>(options, targets, data, results);
    run_scans<float>(options, targets, data, results);
    run_scans<std::int64_t>(options, targets, data, results);
    run_scans<std::int32_t>(options, targets, data, results);
    run_columns(options, targets, data, results);
  }
}

}  // namespace foldline::bench
