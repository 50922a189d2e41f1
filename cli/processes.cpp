#include "processes.hpp"

#include <dlfcn.h>

#include <climits>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#ifndef FOLDLINE_PLUGINS
#define FOLDLINE_PLUGINS ""
#endif

namespace foldline::cli {
namespace {

/// The plug-in for this MPI; null if there is none.
void* load_plugin(const std::string& mpi) {
  std::error_code failed;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  const std::string name = "libfoldline_command_" + mpi + ".so";
  for (const auto& file : {folder / name, folder / FOLDLINE_PLUGINS / name})
    if (std::filesystem::exists(file, failed))
      // Global, since Open MPI's own plug-ins look for its symbols.
      if (void* const plugin = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL)) return plugin;
  return nullptr;
}

template <class Function>
Function* plugin_function(void* plugin, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(plugin, name));
}

}  // namespace

Processes::Processes(const Launched& launched) : plugin_(load_plugin(launched.mpi)) {
  auto* const join =
      plugin_ != nullptr ? plugin_function<int(int*, int*)>(plugin_, "foldline_processes_join") : nullptr;
  if (join == nullptr)
    throw Error("was started as " + std::to_string(launched.ranks) + " processes by the mpirun of " +
                launched.name +
                ", for which it has no plug-in (built with -DFOLDLINE_MPI=ON): run it without mpirun, since "
                "it uses all cores by "
                "itself, or set FOLDLINE_MPI=off if each process has work of its own");
  if (join(&rank_, &count_) != 0) throw Error("MPI could not be started");
  if (rank_ != launched.rank || count_ != launched.ranks) {
    const auto place = [](int rank, int count) {
      return "process " + std::to_string(rank) + " of " + std::to_string(count);
    };
    throw NotJoined(
        "is " + place(launched.rank, launched.ranks) + " by the environment of " + launched.name + ", but " +
        place(rank_, count_) +
        " by MPI itself: start it by the mpirun of the MPI that its plug-in was built with, or set "
        "FOLDLINE_MPI=off if this process has work of its own");
  }
}

Processes::~Processes() {
  if (auto* const leave = plugin_function<void()>(plugin_, "foldline_processes_leave")) leave();
}

std::vector<std::string> Processes::exchange(const std::string& own) {
  auto* const exchange =
      plugin_function<char*(const char*, int, int*)>(plugin_, "foldline_processes_exchange");
  std::vector<int> sizes(static_cast<std::size_t>(count_));
  const bool fits = own.size() <= INT_MAX;
  const std::unique_ptr<char, decltype(&std::free)> all(
      exchange(own.data(), fits ? static_cast<int>(own.size()) : INT_MAX, sizes.data()), &std::free);
  if (!all) throw Error("the results of all processes take more than 2^31 bytes: run it without mpirun");
  std::vector<std::string> parts;
  const char* at = all.get();
  for (const int size : sizes) {
    parts.emplace_back(at, static_cast<std::size_t>(size));
    at += size;
  }
  return parts;
}

}  // namespace foldline::cli
