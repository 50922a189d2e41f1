// For LD_PRELOAD: lets ranks sleep while they wait, so that more of them than cores can run, beside other
// tests. Open MPI yields the processor, and MPICH on UCX does not even that: with each step a rank waits for
// a slice of the scheduler's time.
#include <dlfcn.h>

#include <ctime>

namespace {

void sleep_a_while() {
  const timespec some_time = {0, 20'000};
  nanosleep(&some_time, nullptr);
}

}  // namespace

extern "C" int sched_yield() {  // of Open MPI, if it is told to yield
  sleep_a_while();
  return 0;
}

extern "C" unsigned ucp_worker_progress(void* worker) {
  using Progress = unsigned (*)(void*);
  static const auto progress =
      reinterpret_cast<Progress>(dlsym(dlopen("libucp.so.0", RTLD_LAZY), "ucp_worker_progress"));
  constexpr int most_in_vain = 20;
  static int in_vain = 0;
  const unsigned done = progress(worker);
  in_vain = done != 0 ? 0 : in_vain + 1;
  if (in_vain > most_in_vain) sleep_a_while();
  return done;
}
