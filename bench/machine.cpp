#include "machine.hpp"

#include <cblas.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <oneapi/tbb/version.h>
#include <unistd.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>

#include <foldline/context.hpp>
#include <foldline/version.hpp>

namespace foldline::bench {
namespace {

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name") && !line.starts_with("Model")) continue;
    if (const std::size_t at = line.find(": "); at != std::string::npos) return line.substr(at + 2);
  }
  return "unknown";
}

/// The last-level cache that the first core can use. Not sysconf's: glibc adds up all of a socket's.
std::int64_t last_level_cache() {
  const std::string size = first_line("/sys/devices/system/cpu/cpu0/cache/index3/size");  // "32768K"
  const std::int64_t kibibytes = std::strtoll(size.c_str(), nullptr, 10);
  return kibibytes > 0 && size.ends_with('K') ? kibibytes << 10 : std::int64_t{32} << 20;
}

std::string compiler() {
#ifdef __clang__
  return __VERSION__;  // begins with "Clang"
#else
  return std::string("GCC ") + __VERSION__;
#endif
}

}  // namespace

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

std::int64_t memory_bytes() {
  // A virtual machine may show the whole host's cache; 2^27 floats count as memory whatever it says.
  return std::min(4 * last_level_cache(), std::int64_t{512} << 20);
}

double load_average() {
  double load = -1;
  return ::getloadavg(&load, 1) == 1 ? load : -1;
}

nlohmann::ordered_json describe_machine() {
  return {
      {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
      {"processor", processor()},
      {"cores", cores()},
      {"last_level_cache_bytes", last_level_cache()},
      {"target", name_of(available_targets().front())},
      {"transparent_huge_pages", first_line("/sys/kernel/mm/transparent_hugepage/enabled")},
      {"compiler", compiler()},
      {"foldline", version},
      {"openblas", openblas_get_config()},
      {"openblas_core", openblas_get_corename()},
      {"eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
      {"eigen_simd", Eigen::SimdInstructionSetsInUse()},
      {"tbb", TBB_VERSION_STRING},
      {"load_average_before", load_average()},
  };
}

}  // namespace foldline::bench
