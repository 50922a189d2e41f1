#include "info.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <nlohmann/json.hpp>
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

/// What a large sum of doubles would use.
int default_threads() { return plan(Operation::sum, ElementType::float64, std::int64_t{1} << 30).threads; }

}  // namespace

std::string info(bool as_json) {
  std::vector<std::string> targets;
  for (const Target target : available_targets()) targets.emplace_back(name_of(target));
  const unsigned cores = std::thread::hardware_concurrency();
  const Bandwidth bandwidth = measure_bandwidth();
  const std::string gpu = "none (this build has no CUDA backend)";
  if (as_json) {
    const nlohmann::ordered_json json = {
        {"version", version},
        {"processor", processor()},
        {"cores", cores},
        {"targets", targets},
        {"default_threads", default_threads()},
        {"read_gigabytes_per_second", bandwidth.read},
        {"copy_gigabytes_per_second", bandwidth.copy},
        {"gpu", gpu},
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
      gpu);
}

}  // namespace foldline::cli
