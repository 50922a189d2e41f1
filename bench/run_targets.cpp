// Measures the groups that the targets need.
#include <algorithm>

#include "arrays.hpp"
#include "figures.hpp"
#include "machine.hpp"
#include "run.hpp"
#include "target_list.hpp"
#include "targets.hpp"

namespace foldline::bench {
namespace {

std::vector<int> thread_counts() { return cores() > 1 ? std::vector<int>{cores(), 1} : std::vector<int>{1}; }

bool wanted(const Targets& targets, const Case& group, bool in_memory = false) {
  return std::ranges::any_of(targets, [&](const Target& target) {
    return target.in_memory == in_memory && target.group() == name_of(group);
  });
}

/// The targets' operations on one pair of arrays.
template <FloatingElement T>
void run_operations(const Options& options, const Targets& targets, const Problem<T>& problem,
                    const char* data, bool in_memory, Results& results) {
  for (const OperationEntry<T>& operation : operations<T>())
    if (wanted(targets, case_of(operation, problem, data), in_memory))
      run_group(operation, problem, data, in_memory, options.method, results);
}

void run_reductions(const Options& options, const Targets& targets, const char* data, Results& results) {
  const std::int64_t memory = options.targets_size;
  const Array<double> x = make_array<double>(std::max<std::int64_t>(memory, 1 << 16), data, 1);
  const Array<double> y = make_array<double>(memory, data, 2);
  const Array<float> z = make_array<float>(memory, data, 1);
  for (const int threads : thread_counts()) {
    run_operations<double>(options, targets, {x.get(), y.get(), memory, threads}, data, true, results);
    run_operations<float>(options, targets, {z.get(), nullptr, memory, threads}, data, true, results);
    for (const std::int64_t size : {1 << 14, 1 << 16, 64, 512})
      run_operations<double>(options, targets, {x.get(), y.get(), size, threads}, data, false, results);
  }
}

/// The copies that are the roof are among the contestants.
template <Element T>
void run_scans(const Options& options, const Targets& targets, const char* data, Results& results) {
  const auto scan = std::ranges::find(operations<T>(), "inclusive_scan", &OperationEntry<T>::name);
  Array<T> x;
  for (const int threads : thread_counts()) {
    Problem<T> problem = {nullptr, nullptr, target_scan_size(options), threads};
    if (!wanted(targets, case_of(*scan, problem, data))) continue;
    if (!x) x = make_array<T>(problem.size, data, 1);
    problem.x_data = x.get();
    run_group(*scan, problem, data, false, options.method, results);
  }
}

void run_columns(const Options& options, const Targets& targets, const char* data, Results& results) {
  for (const Shape& shape : target_shapes(options)) {
    const OperationEntry<double> sums = column_sums_of<double>(shape);
    Problem<double> problem = {nullptr, nullptr, shape.rows * shape.columns, cores()};
    if (!wanted(targets, case_of(sums, problem, data))) continue;
    const Array<double> x = make_array<double>(problem.size, data, 1);
    problem.x_data = x.get();
    run_group(sums, problem, data, true, options.method, results);
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
    // Avoids generating hundreds of millions of numbers in vain.
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
