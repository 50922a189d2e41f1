// assert: in a kernel it is a finding.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "runtime/machine.hpp"
#include "runtime/places.hpp"

#define SIMT_SITE reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

/// In place of the C library's, which the host's asserts still get.
extern "C" [[noreturn]] void __assert_fail(const char* condition, const char* file, unsigned int line,
                                           const char* function) noexcept {
  if (simt::Lane* const lane = simt::current_lane) {
    simt::fail(simt::ErrorKind::assertion, lane, SIMT_SITE,
               simt::name_of_thread(*lane) + " finds that not `" + condition + "`");
    simt::stop_lane();
  }
  std::fflush(stdout);
  std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, condition);
  std::abort();
}
