// The floating-point environment that exact arithmetic needs: round to nearest, subnormals kept, traps
// masked. Another library may have left the thread in a different one, which is restored afterwards.
// (Exception flags may be raised, as by any arithmetic.)
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace foldline::cpu {

/// 1.0, read at run time so that the compiler cannot fold a * one (see arithmetic/bins-inl.hpp).
inline const volatile double one_in_memory = 1.0;

/// Returns whether an operation since the environment was set up, or since the last call, had an inexact
/// result below the normal numbers. `after` is a result that must be computed before: compilers do not know
/// that arithmetic sets flags.
inline bool underflow_was_noted(bool after) {
#if defined(__x86_64__)
  constexpr unsigned underflow = 0x10;
  unsigned state = 0;
  __asm__ volatile("stmxcsr %0" : "=m"(state) : "r"(after) : "memory");
  if ((state & underflow) == 0) return false;
  _mm_setcsr(state & ~underflow);
  return true;
#elif defined(__aarch64__)
  constexpr std::uint64_t underflow = 0x8;
  std::uint64_t state = 0;
  __asm__ volatile("mrs %0, fpsr" : "=r"(state) : "r"(after) : "memory");
  if ((state & underflow) == 0) return false;
  __asm__ volatile("msr fpsr, %0" : : "r"(state & ~underflow) : "memory");
  return true;
#else
  if (!after || std::fetestexcept(FE_UNDERFLOW) == 0) return false;
  std::feclearexcept(FE_UNDERFLOW);
  return true;
#endif
}

/// Whether this thread's environment is one that exact arithmetic can use as it is.
inline bool arithmetic_is_standard() {
#if defined(__x86_64__)
  constexpr unsigned standard = 0x1f80;
  constexpr unsigned flags = 0x3f;
  return (_mm_getcsr() & ~flags) == standard;
#elif defined(__aarch64__)
  std::uint64_t control = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return control == 0;
#else
  return std::fegetround() == FE_TONEAREST;
#endif
}

class ArithmeticEnvironment {
 public:
#if defined(__x86_64__)
  // Writing the register is slow, and reading it waits for all pending arithmetic; short sums notice both.
  ArithmeticEnvironment() : saved_(_mm_getcsr()), changed_((saved_ & ~other_flags) != standard) {
    if (changed_) _mm_setcsr(standard);
  }
  ~ArithmeticEnvironment() {
    if (changed_) _mm_setcsr(saved_);
  }
#elif defined(__aarch64__)
  ArithmeticEnvironment() {
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved_));
    __asm__ volatile("mrs %0, fpsr" : "=r"(flags_));
    __asm__ volatile("msr fpcr, %0" : : "r"(standard) : "memory");
    __asm__ volatile("msr fpsr, %0" : : "r"(standard) : "memory");
  }
  ~ArithmeticEnvironment() {
    __asm__ volatile("msr fpcr, %0" : : "r"(saved_) : "memory");
    __asm__ volatile("msr fpsr, %0" : : "r"(flags_) : "memory");
  }
#else
  ArithmeticEnvironment() {
    std::feholdexcept(&saved_);
    std::fesetround(FE_TONEAREST);
  }
  ~ArithmeticEnvironment() { std::fesetenv(&saved_); }
#endif
  ArithmeticEnvironment(const ArithmeticEnvironment&) = delete;
  ArithmeticEnvironment& operator=(const ArithmeticEnvironment&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr unsigned standard = 0x1f80;
  static constexpr unsigned other_flags = 0x2f;  // all but underflow, which must be clear at the start
  unsigned saved_;
  bool changed_;
#elif defined(__aarch64__)
  static constexpr std::uint64_t standard = 0;
  std::uint64_t saved_, flags_;
#else
  std::fenv_t saved_;
#endif
};

}  // namespace foldline::cpu
