// foldline-ladder: runs kernels in the simulator.
#include "runner/backend.hpp"

#include <algorithm>
#include <cstdio>
#include <simt/device_memory.hpp>
#include <simt/devices.hpp>
#include <simt/simt.hpp>
#include <string>
#include <thread>

#include "runner/device.hpp"
#include "runner/simulated/counts.hpp"
#include "runner/simulated/timeline.hpp"
#include "runner/verifier.hpp"

namespace foldline::ladder {
namespace {

/// Where the command line leaves a size open, one that is simulated in seconds.
void complete(Params& params, const Params& simulated) {
  if (params.textbook) return;
  const auto fill = [](auto& size, const auto& otherwise) {
    if (!size) size = otherwise;
  };
  if (!params.n) {
    fill(params.rows, simulated.rows);
    fill(params.columns, simulated.columns);
    fill(params.inner, simulated.inner);
  }
  fill(params.n, simulated.n);
}

/// Enough for corners, edges, the middle, and some between.
constexpr std::uint64_t sampled_blocks = 24;

/// Nothing of the result, which is incomplete; no checks, which would miss what other blocks write.
Outcome simulate_sample(Workbench& bench) {
  Outcome outcome;
  simt::options().checks = false;
  bench.refresh();
  bench.start();
  outcome.counts = counts_of(simt::total_counts(), simt::options().device);
  describe_launches(outcome);
  outcome.status = "ok";
  return outcome;
}

/// One run without checks, which also allocates what the rung asks for, and one with them, which is counted.
/// The blocks of the first go backwards: no right result depends on their order.
Outcome simulate(Workbench& bench) {
  Outcome outcome;
  Verifier verifier(outcome);
  simt::Options& how = simt::options();
  const simt::Options chosen = how;
  how.trace = how.lines = how.checks = false;
  how.order = simt::Order::reversed;
  verifier.run(bench);
  how = chosen;
  simt::launches().clear();
  verifier.run(bench);
  outcome.counts = counts_of(simt::total_counts(), how.device);
  describe_launches(outcome);
  conclude(bench, outcome);
  return outcome;
}

Outcome unsupported_here(const std::string& reason) {
  Outcome outcome;
  outcome.status = "not here";
  outcome.message = reason;
  return outcome;
}

/// What runs on the host is as it is; there is nothing to count.
Outcome run_on_host(Workbench& bench) {
  Outcome outcome;
  Verifier verifier(outcome);
  verifier.run(bench);
  verifier.run(bench);
  outcome.counts.emplace();
  conclude(bench, outcome);
  return outcome;
}

}  // namespace

bool simulates() { return true; }

nlohmann::ordered_json prepare(const Problem& problem, Options& options) {
  const simt::DeviceModel* const device =
      options.as.empty() ? &simt::default_device() : simt::find_device(options.as);
  simt::options().device = *device;
  if (options.sample) simt::options().sampled_blocks = sampled_blocks;
  if (options.trace) simt::options().timeline_steps = static_cast<std::uint64_t>(options.trace_steps);
  complete(options.params, problem.simulated);
  if (!options.time_limit) options.time_limit = 600;
  return {{"simulated", {{"as", device->name}, {"multiprocessors", device->multiprocessors}}}};
}

std::size_t rungs_at_once() { return std::max(1u, std::thread::hardware_concurrency()); }

Outcome run_bench(Workbench& bench, bool on_gpu, const Options& options) {
  try {
    if (options.sample && on_gpu) return simulate_sample(bench);
    return on_gpu ? simulate(bench) : run_on_host(bench);
  } catch (const simt::NotOnThisDevice& reason) {
    return unsupported_here(reason.what());
  } catch (const simt::Error& error) {
    if (error.kind != simt::ErrorKind::unsupported) throw;
    return unsupported_here(error.text);
  }
}

std::vector<LineCounts> count_lines(Workbench& bench) {
  bench.refresh();
  bench.start();
  bench.finish();
  simt::launches().clear();
  bench.refresh();
  bench.start();
  bench.finish();
  return lines_of(simt::launches(), simt::options().device);
}

void print_trace() {
  for (const simt::LaunchReport& launch : simt::launches()) print_timelines(stdout, launch);
}

void forget(void* data, std::size_t bytes) { simt::forget(data, bytes); }

void need_real_device() { throw Unsupported("it measures a real device"); }

}  // namespace foldline::ladder
