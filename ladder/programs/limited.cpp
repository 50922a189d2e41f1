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
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "runner/child.hpp"
#include "runner/interruption.hpp"

namespace foldline::ladder {
namespace {

using Clock = std::chrono::steady_clock;

/// None while it runs.
std::optional<int> status_of(pid_t child) {
  int status = 0;
  const pid_t ended = ::waitpid(child, &status, WNOHANG);
  if (ended == child) return status;
  if (ended < 0 && errno != EINTR)
    throw std::system_error(errno, std::generic_category(), "waiting for a process");
  return std::nullopt;
}

void kill(pid_t child) {
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

int end(pid_t child, const std::string& why) {
  kill(child);
  fmt::print(stderr, "foldline-ladder: {}\n", why);
  return 1;
}

}  // namespace

int run_limited(const std::function<int()>& work, const Limits& limits, const char* what) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "starting a process");
  if (child == 0) {
    begin_child();
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
    if (is_interrupted()) {
      kill(child);
      end_if_interrupted();
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(20000));
  }
}

}  // namespace foldline::ladder
