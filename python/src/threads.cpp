#include "threads.hpp"

#include <pthread.h>

#include <atomic>

#include "errors.hpp"

namespace foldline::python {

namespace {
std::atomic<int> wanted_threads = 0;
std::atomic<bool> is_forked = false;
}  // namespace

Context current_context() {
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
      nb::arg("threads"), nb::sig("def set_num_threads(threads: int, /) -> None"),
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
