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

/// The first plug-in that there is for one of these MPIs; null if there is none.
void* load_plugin(const std::vector<std::string>& mpis) {
  std::error_code failed;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  for (const std::string& mpi : mpis) {
    const std::string name = "libfoldline_command_" + mpi + ".so";
    for (const auto& file : {folder / name, folder / FOLDLINE_PLUGINS / name})
      if (std::filesystem::exists(file, failed))
        // Global, since Open MPI's own plug-ins look for its symbols.
        if (void* const plugin = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL)) return plugin;
  }
  return nullptr;
}

std::string number_of_processes(int ranks) {
  return ranks == Launched::unknown ? "several processes" : std::to_string(ranks) + " processes";
}

template <class Function>
Function* plugin_function(void* plugin, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(plugin, name));
}

}  // namespace

Processes::Processes(const Launched& launched) : plugin_(load_plugin(launched.mpis)) {
  auto* const join =
      plugin_ != nullptr ? plugin_function<int(int*, int*)>(plugin_, "foldline_processes_join") : nullptr;
  if (join == nullptr)
    throw Error(
        "was started as " + number_of_processes(launched.ranks) + " by " + launched.name +
        ", for which it has no plug-in (built with -DFOLDLINE_MPI=ON): run it alone, since it uses all "
        "cores by itself, or set FOLDLINE_MPI=off if each process has work of its own");
  if (join(&rank_, &count_) != 0) throw Error("MPI could not be started");
  if (rank_ != launched.rank || (launched.ranks != Launched::unknown && count_ != launched.ranks)) {
    const auto place = [](int rank, int count) {
      return "process " + std::to_string(rank) + " of " +
             (count == Launched::unknown ? "several" : std::to_string(count));
    };
    throw NotJoined(
        "is " + place(launched.rank, launched.ranks) + " by the environment of " + launched.name + ", but " +
        place(rank_, count_) +
        " by MPI itself: start it by the launcher of the MPI that its plug-in was built with, choose another "
        "plug-in by FOLDLINE_MPI=openmpi or mpich, or set FOLDLINE_MPI=off if this process has work of its "
        "own");
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
