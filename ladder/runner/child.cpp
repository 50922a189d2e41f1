#include "runner/child.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>

#include "runner/interruption.hpp"

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

/// A process that is at work.
struct Child {
  std::size_t number;
  pid_t process;
  int pipe;
  double seconds;
  std::int64_t megabytes;
  Clock::time_point deadline;
  std::string text;
};

Child start(std::size_t number, const Work& work) {
  std::array<int, 2> ends;
  if (::pipe(ends.data()) != 0) fail("making a pipe");
  std::fflush(nullptr);
  const pid_t process = ::fork();
  if (process < 0) fail("starting a process");
  if (process == 0) {
    begin_child();
    ::close(ends[0]);
    write_all(ends[1], work.text());
    std::fflush(nullptr);  // what kernels have printed
    ::_exit(0);            // no destructors: the objects belong to the parent
  }
  ::close(ends[1]);
  const auto limit = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(work.seconds));
  return {number, process, ends[0], work.seconds, work.megabytes, Clock::now() + limit, ""};
}

/// False when the other end has been closed.
bool read_some(Child& child) {
  std::array<char, 4096> buffer;
  const ssize_t count = ::read(child.pipe, buffer.data(), buffer.size());
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) return false;
  child.text.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

/// What the child must be ended for.
std::optional<ChildResult> limit_of(const Child& child) {
  if (Clock::now() >= child.deadline)
    return ChildResult{ChildResult::End::timed_out,
                       "ended after " + std::to_string(static_cast<int>(child.seconds)) + " s"};
  if (child.megabytes != 0 && megabytes_of(child.process) > child.megabytes)
    return ChildResult{ChildResult::End::too_large,
                       "ended: it took more than " + std::to_string(child.megabytes) + " MiB of memory"};
  return std::nullopt;
}

int wait_for_end(const Child& child) {
  int status = 0;
  while (::waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

void kill(const Child& child) {
  ::kill(child.process, SIGKILL);
  wait_for_end(child);
}

ChildResult end(const Child& child, const std::optional<ChildResult>& limit) {
  ::close(child.pipe);
  if (limit) ::kill(child.process, SIGKILL);
  const int status = wait_for_end(child);
  if (limit) return *limit;
  if (WIFSIGNALED(status))
    return {ChildResult::End::crashed, std::string("ended by a signal: ") + ::strsignal(WTERMSIG(status))};
  if (WEXITSTATUS(status) != 0)
    return {ChildResult::End::crashed, "ended with exit status " + std::to_string(WEXITSTATUS(status))};
  return {ChildResult::End::returned, child.text};
}

/// Waits until one of the children has written, or closed its end, or has no time left, or is to be looked
/// at.
std::vector<pollfd> wait_for(const std::vector<Child>& children) {
  std::vector<pollfd> waiting;
  Clock::time_point deadline = Clock::time_point::max();
  for (const Child& child : children) {
    waiting.push_back({child.pipe, POLLIN, 0});
    deadline = std::min(deadline, child.deadline);
    if (child.megabytes != 0) deadline = std::min(deadline, Clock::now() + std::chrono::milliseconds(20));
  }
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count() + 1;
  if (::poll(waiting.data(), waiting.size(), static_cast<int>(std::clamp<long>(left, 0, 1 << 30))) < 0)
    for (pollfd& one : waiting) one.revents = 0;  // interrupted by a signal
  return waiting;
}

}  // namespace

void run_in_children(const std::vector<Work>& works, std::size_t at_once,
                     const std::function<void(std::size_t, const ChildResult&)>& done) {
  std::vector<Child> children;
  std::vector<std::optional<ChildResult>> results(works.size());
  std::size_t started = 0, told = 0;
  while (told < works.size()) {
    while (started < works.size() && children.size() < at_once) {
      children.push_back(start(started, works[started]));
      ++started;
    }
    const std::vector<pollfd> waiting = wait_for(children);
    if (is_interrupted()) {
      for (const Child& child : children) kill(child);
      end_if_interrupted();
    }
    for (std::size_t i = children.size(); i-- > 0;) {
      Child& child = children[i];
      const bool closed = waiting[i].revents != 0 && !read_some(child);
      const std::optional<ChildResult> limit = closed ? std::nullopt : limit_of(child);
      if (!closed && !limit) continue;
      results[child.number] = end(child, limit);
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (; told < works.size() && results[told]; ++told) done(told, *results[told]);
  }
}

std::int64_t megabytes_of(pid_t process) {
  std::ifstream pages("/proc/" + std::to_string(process) + "/statm");
  std::int64_t all = 0, resident = 0;
  pages >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE) >> 20;
}

ChildResult run_in_child(const Work& work) {
  ChildResult found;
  run_in_children({work}, 1, [&found](std::size_t, const ChildResult& result) { found = result; });
  return found;
}

}  // namespace foldline::ladder
