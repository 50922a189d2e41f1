// The SIMT simulator: runs CUDA kernels that simt-cc has compiled on the processor, thread by thread, checks
// them, and counts what a GPU would do.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include <vector_types.h>
#include <simt/error.hpp>
#include <simt/options.hpp>
#include <simt/report.hpp>

typedef struct CUstream_st* cudaStream_t;

/// Of the functions between the host and a kernel: simt-cc adds no callbacks to them.
#ifdef __clang__
#define SIMT_UNTRACED __attribute__((no_sanitize("coverage")))
#else
#define SIMT_UNTRACED
#endif

namespace simt {

/// One thread of a launch, for launch_body.
using ThreadBody = void (*)(void* context);

/// Where an argument of the kernel is.
struct Argument {
  const void* address;
  std::size_t bytes;
};

/// Runs `body` once for each thread. `kernel` is the address whose name and source messages give, which call
/// arrays by the names of the parameters that point to them.
void launch_body(const void* kernel, ThreadBody body, void* context, dim3 grid, dim3 block,
                 std::size_t shared_bytes, cudaStream_t stream, std::span<const Argument> arguments = {});

template <class Call>
SIMT_UNTRACED void run_thread(void* call) {
  (*static_cast<Call*>(call))();
}

/// kernel<<<grid, block, shared_bytes, stream>>>(arguments...), to its end. Throws Error.
template <class... Parameters>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
            cudaStream_t stream, std::type_identity_t<Parameters>... arguments) {
  auto call = [&]() SIMT_UNTRACED { kernel(arguments...); };
  const std::array<Argument, sizeof...(Parameters)> all = {
      Argument{std::addressof(arguments), sizeof arguments}...};
  launch_body(reinterpret_cast<const void*>(kernel), run_thread<decltype(call)>, &call, grid, block,
              shared_bytes, stream, all);
}

}  // namespace simt
