/// @file
/// What a call's result is to be, and how the call is to be carried out.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "foldline/device.hpp"
#include "foldline/export.hpp"

namespace foldline {

/// What is promised of a result.
enum class Accuracy : std::uint8_t {
  exact,  ///< the correctly rounded value of the exact result: the same bits everywhere
  fast    ///< an ordinary vectorised sum; see docs/contract.md for its error bound
};

/// What becomes of an integer result that its type cannot hold. (Nothing else can overflow.)
enum class Overflow : std::uint8_t {
  error,  ///< an OverflowError
  wrap    ///< the exact result modulo 2^bits, as two's complement arithmetic gives it
};

/// Instruction sets the CPU backend is compiled for.
enum class Target : std::uint8_t {
  automatic,  ///< the best that this CPU has
  portable,   ///< plain C++, one element at a time; on x86-64 only, since AArch64 always has NEON
  avx2,       ///< x86-64 with AVX2, FMA and F16C
  avx512,     ///< x86-64 with AVX-512 F, BW, CD, DQ and VL
  neon        ///< AArch64
};

/// "auto", "portable", "avx2", "avx512" or "neon".
[[nodiscard]] FOLDLINE_API std::string_view name_of(Target target);

/// The targets that this build has and this CPU can run, best first; never empty.
[[nodiscard]] FOLDLINE_API std::vector<Target> available_targets();

/// Where a call is carried out, and by what; `{}` is the best for most.
struct Execution {
  /// Processor that does the work. With a CUDA device, vectors may lie in its memory, in managed memory, or
  /// in the host's, from where they are streamed to it. Reductions, also along an axis and of segments,
  /// scans of whole vectors and matrix products; other calls throw InvalidArgument.
  Device device = {};
  /// CUDA stream (a cudaStream_t) that the work is queued in, after what is in it already; null is the
  /// default one. The call returns when its result is there. (Those of async.hpp have a queue instead.)
  void* stream = nullptr;
  /// Threads of the CPU backend: 0 means as many as are worth it, up to all cores; any other number is used
  /// as it is (at most one thread per element). At most 4096.
  int threads = 0;
  /// Instruction set. One that this machine lacks is an InvalidArgument.
  Target target = Target::automatic;

  /// The same choices.
  friend constexpr bool operator==(const Execution&, const Execution&) = default;
};

/// What a call's result is to be, and how it is carried out; `{}` is the best for most:
///
///     foldline::sum(x, {.accuracy = foldline::Accuracy::fast});
///     foldline::sum(x, {.execution = {.threads = 2}});
struct Context {
  /// Exact unless speed on vectors that lie in a cache matters more.
  Accuracy accuracy = Accuracy::exact;
  /// What becomes of an integer result that its type cannot hold.
  Overflow overflow = Overflow::error;
  /// Which processor, how many threads: nothing here changes the bits of an exact result.
  Execution execution = {};
};

}  // namespace foldline
