// The floating-point environment that exact arithmetic needs: round to nearest, subnormals kept, traps masked. Someone else's
// library may have left the thread in another; it is put back as it was, exception flags included.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace foldline::cpu {

class ArithmeticEnvironment {
 public:
#if defined(__x86_64__)
  ArithmeticEnvironment() : saved_(_mm_getcsr()) { _mm_setcsr(standard); }
  ~ArithmeticEnvironment() { _mm_setcsr(saved_); }
#elif defined(__aarch64__)
  ArithmeticEnvironment() {
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved_));
    __asm__ volatile("mrs %0, fpsr" : "=r"(flags_));
    __asm__ volatile("msr fpcr, %0" : : "r"(standard) : "memory");
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
  unsigned saved_;
#elif defined(__aarch64__)
  static constexpr std::uint64_t standard = 0;
  std::uint64_t saved_, flags_;
#else
  std::fenv_t saved_;
#endif
};

}  // namespace foldline::cpu
