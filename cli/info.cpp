#include "info.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include <foldline/foldline.hpp>

#include "bandwidth.hpp"

namespace foldline::cli {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name") && !line.starts_with("Model")) continue;
    if (const std::size_t at = line.find(": "); at != std::string::npos) return line.substr(at + 2);
  }
  return "unknown";
}

/// A GPU and what its memory does; nothing if that cannot be measured, as when it is full.
struct MeasuredGpu {
  GpuInfo info;
  std::optional<GpuBandwidth> bandwidth;
};

std::optional<GpuBandwidth> bandwidth_of(const Device& gpu) {
  try {
    return measure_bandwidth(gpu);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::vector<MeasuredGpu> measured_gpus() {
  std::vector<MeasuredGpu> found;
  for (const GpuInfo& gpu : gpus()) found.push_back({gpu, bandwidth_of(gpu.device)});
  return found;
}

/// One line for each GPU, or why there is none.
std::vector<std::string> lines_of(const std::vector<MeasuredGpu>& found) {
  std::vector<std::string> lines;
  lines.reserve(found.size());
  for (const auto& [gpu, bandwidth] : found)
    lines.push_back(fmt::format(
        "{}: {}, compute capability {}.{}, {} multiprocessors, {:.1f} GB, {}", name_of(gpu.device), gpu.name,
        gpu.major, gpu.minor, gpu.multiprocessors, static_cast<double>(gpu.memory) * 1e-9,
        bandwidth
            ? fmt::format("memory: read {:.0f} GB/s, copy {:.0f} GB/s", bandwidth->read, bandwidth->copy)
            : "speed of memory unknown"));
  if (lines.empty()) lines.push_back("none (" + why_no_gpu() + ")");
  return lines;
}

nlohmann::ordered_json json_of(const std::vector<MeasuredGpu>& found) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [gpu, bandwidth] : found) {
    list.push_back({{"device", name_of(gpu.device)},
                    {"name", gpu.name},
                    {"compute_capability", fmt::format("{}.{}", gpu.major, gpu.minor)},
                    {"multiprocessors", gpu.multiprocessors},
                    {"memory_bytes", gpu.memory}});
    if (!bandwidth) continue;
    list.back()["read_gigabytes_per_second"] = bandwidth->read;
    list.back()["copy_gigabytes_per_second"] = bandwidth->copy;
  }
  return list;
}

/// Threads that a large sum of doubles would use.
int default_threads() { return plan(Operation::sum, ElementType::float64, std::int64_t{1} << 30).threads; }

}  // namespace

std::string info(bool as_json) {
  std::vector<std::string> targets;
  for (const Target target : available_targets()) targets.emplace_back(name_of(target));
  const unsigned cores = std::thread::hardware_concurrency();
  const Bandwidth bandwidth = measure_bandwidth();
  const std::vector<MeasuredGpu> found = measured_gpus();
  if (as_json) {
    const nlohmann::ordered_json json = {
        {"version", version},
        {"processor", processor()},
        {"cores", cores},
        {"targets", targets},
        {"default_threads", default_threads()},
        {"read_gigabytes_per_second", bandwidth.read},
        {"copy_gigabytes_per_second", bandwidth.copy},
        {"gpus", json_of(found)},
    };
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }
  return fmt::format(
      "foldline {}\n"
      "CPU: {}, {} cores\n"
      "targets: {} (best first)\n"
      "default threads: {}\n"
      "memory: read {:.1f} GB/s, copy {:.1f} GB/s\n"
      "GPU: {}\n",
      version, processor(), cores, fmt::join(targets, " "), default_threads(), bandwidth.read, bandwidth.copy,
      fmt::join(lines_of(found), "\nGPU: "));
}

}  // namespace foldline::cli
