#include "threads.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "errors.hpp"
#include "foldline/error.hpp"

namespace foldline::python {

namespace {
std::atomic<int> wanted_threads = 0;
std::atomic<bool> is_forked = false;
}  // namespace

namespace {

/// Whether this thread's stack is smaller than what calls need. The first thread's may grow, and its size
/// takes long to find out.
bool has_small_stack() {
  if (getpid() == static_cast<pid_t>(syscall(SYS_gettid))) return false;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
  std::size_t size = 0;
  const bool is_known = pthread_attr_getstacksize(&attributes, &size) == 0;
  pthread_attr_destroy(&attributes);
  constexpr std::size_t needed = 256 * 1024;
  return is_known && size < needed;
}

}  // namespace

Context current_context() {
  thread_local const bool is_small = has_small_stack();
  if (is_small)
    throw InvalidArgument(
        "foldline: this thread's stack is smaller than the 256 KiB that calls need; ask "
        "threading.stack_size for more");
  const int threads =
      is_forked.load(std::memory_order_relaxed) ? 1 : wanted_threads.load(std::memory_order_relaxed);
  return {.execution = {.threads = threads}};
}

void register_threads(nb::module_& module) {
  pthread_atfork(nullptr, nullptr, [] { is_forked.store(true); });
  module.def(
      "set_num_threads",
      [](int threads) {
        if (threads < 0 || threads > 4096)
          raise(PyExc_ValueError, "foldline.set_num_threads: use 0 (as many as are worth it) to 4096");
        wanted_threads.store(threads);
      },
      nb::arg(), nb::sig("def set_num_threads(threads: int, /) -> None"),
      R"(Set the number of threads of calls that follow.

0, the default, is as many as are worth it, up to ``OMP_NUM_THREADS`` or all cores. Results do not depend
on it. A process that was forked uses one thread whatever is set.

>>> import foldline as fl
>>> fl.set_num_threads(2)
>>> fl.get_num_threads()
2
>>> fl.set_num_threads(0)
)");
  module.def(
      "get_num_threads", [] { return current_context().execution.threads; },
      nb::sig("def get_num_threads() -> int"),
      R"(The number of threads that was set, 0 for as many as are worth it; 1 in a process that was forked.

>>> import foldline as fl
>>> fl.get_num_threads()
0
)");
}

}  // namespace foldline::python
