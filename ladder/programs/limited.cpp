#include "programs/limited.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

namespace foldline::ladder {
namespace {

using Clock = std::chrono::steady_clock;

/// In memory, as the system counts it; 0 if the process has gone.
std::int64_t megabytes_of(pid_t process) {
  std::ifstream pages("/proc/" + std::to_string(process) + "/statm");
  std::int64_t all = 0, resident = 0;
  pages >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE) >> 20;
}

/// None while it runs.
std::optional<int> status_of(pid_t child) {
  int status = 0;
  const pid_t ended = ::waitpid(child, &status, WNOHANG);
  if (ended == child) return status;
  if (ended < 0 && errno != EINTR)
    throw std::system_error(errno, std::generic_category(), "waiting for a process");
  return std::nullopt;
}

int end(pid_t child, const std::string& why) {
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  fmt::print(stderr, "foldline-ladder: {}\n", why);
  return 1;
}

}  // namespace

int run_limited(const std::function<int()>& work, const Limits& limits, const char* what) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "starting a process");
  if (child == 0) {
    const auto no_further = [&]() noexcept { return work(); };  // an exception ends the child
    std::exit(no_further());
  }
  const auto begin = Clock::now();
  auto pause = std::chrono::microseconds(200);
  for (;;) {
    if (const auto status = status_of(child)) {
      if (WIFEXITED(*status)) return WEXITSTATUS(*status);
      fmt::print(stderr, "foldline-ladder: {} was ended by a signal: {}\n", what,
                 ::strsignal(WTERMSIG(*status)));
      return 128 + WTERMSIG(*status);
    }
    if (std::chrono::duration<double>(Clock::now() - begin).count() > limits.seconds)
      return end(child, fmt::format("{} was ended after {:g} s (--time-limit)", what, limits.seconds));
    if (megabytes_of(child) > limits.megabytes)
      return end(child, fmt::format("{} was ended: it took more than {} MiB of memory (--memory-limit)", what,
                                    limits.megabytes));
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(20000));
  }
}

}  // namespace foldline::ladder
