// foldline-bench: measures, prints, writes JSON. Exit status 0: measured; 1: a result of foldline is wrong or
// something failed; 2: the command line makes no sense. A missed target is a result, not a failure.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "cuda/run.hpp"
#include "grid.hpp"
#include "machine.hpp"
#include "options.hpp"
#include "python_peer.hpp"
#include "report.hpp"
#include "run.hpp"
#include "targets.hpp"

namespace foldline::bench {
namespace {

/// Measures, prints, and adds to `json` everything but the results.
Results run_on_cpu(const Options& options, nlohmann::ordered_json& json) {
  const bool is_wanted = options.numpy.is_asked_for || !options.targets.empty();
  const std::string python = is_wanted ? find_python(numpy, options.numpy) : std::string();
  json["machine"]["numpy_python"] = python;  // empty: NumPy is not measured
  json["method"]["caches"] = "warm";
  Results results(memory_bytes());
  if (!options.targets.empty()) {
    run_targets(options, results);
    add_python_peer(numpy, python, numpy_groups(options, results), options.method, results);
    print_targets(options, results);
    json["targets"] = targets_json(options, results);
  } else {
    run_matrix(options, results);
    add_python_peer(numpy, python, single_threaded_groups(results), options.method, results);
    print_table(results);
  }
  return results;
}

int run(const Options& options) {
  if (!options.json.empty()) require_writable(options.json);
  nlohmann::ordered_json json = {{"machine", describe_machine()},
                                 {"method",
                                  {{"rounds", options.method.rounds},
                                   {"shortest_seconds", options.method.shortest},
                                   {"order", "contestants of a group in turns"},
                                   {"time", "median of the rounds"},
                                   {"ratio", "median of the rounds' ratios"}}}};
  if (options.is_grid) {
    run_grid(options, json);
    json["machine"]["load_average_after"] = load_average();
    if (!options.json.empty()) write_json(options.json, json);
    return 0;
  }
  const Results results =
      options.device == "cuda" ? cuda::run_on_gpu(options, json) : run_on_cpu(options, json);
  const bool right = std::ranges::all_of(results.rows(), agrees);
  json["machine"]["load_average_after"] = load_average();
  json["verified"] = right;
  json["rows"] = as_json(results);
  if (!options.json.empty()) write_json(options.json, json);
  if (!right)
    fmt::print(stderr, "foldline-bench: foldline gave results that differ; see the lines with WRONG\n");
  return right ? 0 : 1;
}

}  // namespace
}  // namespace foldline::bench

int main(int argc, char** argv) {
  try {
    int status = 0;
    const auto options = foldline::bench::parse(argc, argv, status);
    return options ? foldline::bench::run(*options) : status;
  } catch (const std::exception& error) {
    fmt::print(stderr, "foldline-bench: {}\n", error.what());
    return 1;
  }
}
