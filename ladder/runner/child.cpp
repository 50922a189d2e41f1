#include "runner/child.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

namespace foldline::ladder {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* doing) { throw std::system_error(errno, std::generic_category(), doing); }

void write_all(int file, const std::string& text) {
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = ::write(file, text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR) ::_exit(1);
    if (count > 0) written += static_cast<std::size_t>(count);
  }
}

/// Reads until the other end is closed; false if that takes too long.
bool read_until_closed(int file, Clock::time_point deadline, std::string& text) {
  std::array<char, 4096> buffer;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd waiting{file, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::max<long>(left, 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t count = ::read(file, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

ChildResult run_in_child(const std::function<std::string()>& work, double seconds) {
  std::array<int, 2> ends;
  if (::pipe(ends.data()) != 0) fail("making a pipe");
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) fail("starting a process");
  if (child == 0) {
    ::close(ends[0]);
    write_all(ends[1], work());
    ::_exit(0);  // no destructors: the objects belong to the parent
  }
  ::close(ends[1]);
  std::string text;
  const auto limit = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const bool in_time = read_until_closed(ends[0], Clock::now() + limit, text);
  ::close(ends[0]);
  if (!in_time) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time)
    return {ChildResult::End::timed_out, "ended after " + std::to_string(static_cast<int>(seconds)) + " s"};
  if (WIFSIGNALED(status))
    return {ChildResult::End::crashed, std::string("ended by a signal: ") + ::strsignal(WTERMSIG(status))};
  if (WEXITSTATUS(status) != 0)
    return {ChildResult::End::crashed, "ended with exit status " + std::to_string(WEXITSTATUS(status))};
  return {ChildResult::End::returned, text};
}

}  // namespace foldline::ladder
