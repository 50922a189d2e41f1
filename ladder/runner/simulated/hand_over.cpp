// Gives way to foldline-ladder-cuda where that is beside this program and there is a GPU.
#include "runner/simulated/hand_over.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <system_error>

#include "runner/backend.hpp"
#include "runner/child.hpp"

namespace foldline::ladder {
namespace {

/// Asks the driver, whose library has the functions below; "yes" or anything else.
std::string is_there_a_gpu() {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return "no driver";
  const auto start = reinterpret_cast<int (*)(unsigned)>(::dlsym(driver, "cuInit"));
  const auto count = reinterpret_cast<int (*)(int*)>(::dlsym(driver, "cuDeviceGetCount"));
  int gpus = 0;
  const bool asked = start != nullptr && count != nullptr && start(0) == 0 && count(&gpus) == 0;
  return asked && gpus > 0 ? "yes" : "no";
}

}  // namespace

std::filesystem::path program_for_gpu() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path other = self.parent_path() / "foldline-ladder-cuda";
  if (error || !std::filesystem::exists(other, error)) return {};
  constexpr double seconds = 20;  // a driver that does not answer shall not keep the simulator from its work
  return run_in_child({is_there_a_gpu, seconds}).text == "yes" ? other : std::filesystem::path();
}

void hand_over(const Options& options, char** arguments) {
  if (options.simulate || options.trace || options.sample || !options.as.empty()) return;
  const std::filesystem::path program = program_for_gpu();
  if (program.empty()) return;
  std::fflush(nullptr);
  ::execv(program.c_str(), arguments);
  throw std::runtime_error(
      fmt::format("{} cannot be run: {}", program.string(), std::generic_category().message(errno)));
}

}  // namespace foldline::ladder
