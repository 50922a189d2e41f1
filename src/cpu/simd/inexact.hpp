// Whether additions were exact, as the processor notes by the way.
#pragma once

#include <cstdint>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <cfenv>
#endif

namespace foldline::cpu {

/// Returns whether an operation since the last call had an inexact result. All that counts must be in memory
/// before: compilers do not know that arithmetic sets flags.
inline bool inexact_was_noted() {
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

}  // namespace foldline::cpu
