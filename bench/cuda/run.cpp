#include "run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <foldline/device.hpp>

#include "bench/figures.hpp"
#include "bench/python_peer.hpp"
#include "groups.hpp"
#include "machine.hpp"
#include "run_group.hpp"
#include "target_list.hpp"

namespace foldline::bench::cuda {
namespace {

/// What one run has throughout.
struct Run {
  const Options& options;
  Targets targets;
  Machine machine;
  Results results;

  bool wants(const Case& group) const {
    return std::ranges::any_of(targets,
                               [&](const Target& target) { return target.group() == name_of(group); });
  }
  /// The sizes of the targets of that type and data whose operation `is_wanted` accepts.
  template <class IsWanted>
  std::set<std::int64_t> sizes(ElementType type, const std::string& data, const IsWanted& is_wanted) const {
    std::set<std::int64_t> list;
    for (const Target& target : targets)
      if (target.type == type && target.data == data && is_wanted(target.operation)) list.insert(target.size);
    return list;
  }
  void measure(const Case& group, const Competition& competition, std::int64_t pieces) {
    run_group(group, competition, pieces, machine.lane.stream(), options.method, results);
  }
  /// Elements of the vectors that pieces are taken from; the largest piece has `largest`.
  template <Element T>
  std::int64_t elements_for(std::int64_t largest) const {
    const std::int64_t beyond_cache = 4 * machine.l2_bytes / static_cast<std::int64_t>(sizeof(T));
    return std::max(largest, std::min(beyond_cache, options.targets_size));
  }
};

void append(std::vector<DeviceContestant> more, std::vector<DeviceContestant>& list) {
  std::ranges::move(more, std::back_inserter(list));
}

std::vector<std::pair<std::string, int>> reductions_in_each_way() {
  std::vector<std::pair<std::string, int>> list;
  for (const std::string& operation : reductions())
    for (const int way : {on_gpu, in_stream}) list.emplace_back(operation, way);
  return list;
}

template <FloatingElement T>
void run_reductions(const std::string& data, Run& run) {
  const std::set<std::int64_t> sizes = run.sizes(element_type_of<T>, data, [](const std::string& operation) {
    return std::ranges::find(reductions(), operation) != reductions().end();
  });
  if (sizes.empty()) return;
  const Vectors<T> vectors(*sizes.rbegin(), data, 2);
  for (const std::int64_t size : sizes)
    for (const auto& [operation, way] : reductions_in_each_way()) {
      const int count = operation == "dot" ? 2 : 1;
      const std::int64_t bytes = count * size * static_cast<std::int64_t>(sizeof(T));
      const Case group = {operation, element_type_of<T>, size, way, data, bytes};
      if (!run.wants(group)) continue;
      const DeviceProblem<T> problem = {&run.machine, &vectors, size};
      Competition competition = reduction(operation, problem, data);
      // The two vectors lie one behind the other; shorter ones are in the cache, where nothing is a roof.
      if (run.results.from_memory(group) && (count == 1 || size == vectors.size()))
        append(readers(problem, bytes), competition.contestants);
      run.measure(group, competition, problem.pieces);
    }
}

template <Element T>
void run_scans(const std::string& data, Run& run) {
  const std::set<std::int64_t> sizes = run.sizes(
      element_type_of<T>, data, [](const std::string& operation) { return operation == "inclusive_scan"; });
  if (sizes.empty()) return;
  const Vectors<T> vectors(run.elements_for<T>(*sizes.rbegin()), data, 1);
  const DeviceArray<T> out = device_array<T>(vectors.size());
  for (const std::int64_t size : sizes) {
    const std::int64_t pieces = pieces_of<T>(size, vectors.size(), run.machine);
    const std::int64_t bytes = 2 * size * static_cast<std::int64_t>(sizeof(T));
    run.measure({"inclusive_scan", element_type_of<T>, size, on_gpu, data, bytes, true},
                scan<T>({&run.machine, &vectors, size, pieces}, out, data), pieces);
  }
}

void run_columns(const std::string& data, Run& run) {
  const std::set<std::int64_t> sizes =
      run.sizes(ElementType::float64, data,
                [](const std::string& operation) { return operation.starts_with("column_sums:"); });
  if (sizes.empty()) return;
  const Vectors<double> vectors(run.elements_for<double>(*sizes.rbegin()), data, 1);
  for (const Shape& shape : column_shapes(run.options)) {
    const std::int64_t size = shape.rows * shape.columns, bytes = 8 * size;
    const Case group = {column_sums_of<double>(shape).name, ElementType::float64, size, on_gpu, data, bytes};
    if (!run.wants(group)) continue;
    const std::int64_t pieces = pieces_of<double>(size, vectors.size(), run.machine);
    const DeviceProblem<double> problem = {&run.machine, &vectors, size, pieces};
    Competition competition = column_sums(problem, shape, data);
    append(readers(problem, bytes), competition.contestants);
    run.measure(group, competition, pieces);
  }
}

void run_everything(Run& run) {
  for (const char* const data : {"uniform", "normal", "wide", "outliers"}) {
    run_reductions<double>(data, run);
    run_reductions<float>(data, run);
    run_columns(data, run);
    if (is_tame(data)) {
      run_scans<std::int32_t>(data, run);
      run_scans<std::int64_t>(data, run);
    }
    run_scans<float>(data, run);
    run_scans<double>(data, run);
  }
  run_scans<float>("ties", run);
  run_scans<double>("ties", run);
}

}  // namespace

Results run_on_gpu(const Options& options, nlohmann::ordered_json& json) {
  if (const std::string missing = why_no_gpu(); !missing.empty())
    throw std::runtime_error("--device cuda: " + missing);
  const std::string python = find_python(torch, options.torch);
  json["machine"]["torch_python"] = python;  // empty: PyTorch is not measured
  // Data of four times the cache is for the most part not in it.
  Run run = {options, gpu_targets(options), {}, Results(4 * l2_bytes())};
  run.machine.l2_bytes = l2_bytes();
  json["gpu"] = describe_gpu(run.machine.cublas);
  json["method"]["caches"] =
      "warm for reductions of few elements; others go through more than the cache holds";
  json["method"]["calls"] = "between two events, in a CUDA graph or, where it says stream, one by one";
  run_everything(run);
  add_python_peer(torch, python, groups_beside(Against::torch, run.targets, run.results), options.method,
                  run.results);
  print_figures(run.targets, run.results);
  if (!run.machine.cublas.is_there())
    fmt::print("cuBLAS was not measured: there is no libcublas.so; LD_LIBRARY_PATH says where to look\n");
  json["targets"] = figures_json(run.targets, run.results);
  return std::move(run.results);
}

}  // namespace foldline::bench::cuda
