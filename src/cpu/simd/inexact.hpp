// Whether additions were exact, as the processor notes by the way.
#pragma once

#include <cstdint>

#include "cpu/simd/environment.hpp"

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <cfenv>
#endif

namespace foldline::cpu {

/// Lowers the flag of inexact results, and returns whether it was raised.
inline bool lower_inexact_flag() {
#if defined(__x86_64__)
  constexpr unsigned inexact = 0x20;
  unsigned state = 0;
  __asm__ volatile("stmxcsr %0" : "=m"(state) : : "memory");
  if ((state & inexact) == 0) return false;
  state &= ~inexact;
  __asm__ volatile("ldmxcsr %0" : : "m"(state) : "memory");
  return true;
#elif defined(__aarch64__)
  constexpr std::uint64_t inexact = 0x10;
  std::uint64_t state = 0;
  __asm__ volatile("mrs %0, fpsr" : "=r"(state) : : "memory");
  if ((state & inexact) == 0) return false;
  __asm__ volatile("msr fpsr, %0" : : "r"(state & ~inexact) : "memory");
  return true;
#else
  if (std::fetestexcept(FE_INEXACT) == 0) return false;
  std::feclearexcept(FE_INEXACT);
  return true;
#endif
}

/// Whether the flag is raised at all: what plays a processor may leave it alone, as Valgrind does.
inline bool has_inexact_flag() {
  static const bool has = [] {
    lower_inexact_flag();
    [[maybe_unused]] const volatile double third = one_in_memory / 3;
    return lower_inexact_flag();
  }();
  return has;
}

/// Returns whether an operation since the last call may have had an inexact result. All that counts must be
/// in memory before: compilers do not know that arithmetic sets flags.
inline bool inexact_was_noted() { return lower_inexact_flag() || !has_inexact_flag(); }

}  // namespace foldline::cpu
