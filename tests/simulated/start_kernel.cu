// Starts a kernel of integers in the simulator, as cuda/reduce/launch.cpp does on a GPU.
#include "kernel_words.hpp"

#include <simt/simt.hpp>

#include "cuda/device/sources.cuh"
#include "cuda/reduce/launch.hpp"
#include "cuda/reduce/round_result.hpp"
#include "cuda/reduce/workspace.cuh"
#include "start_kernel.hpp"

namespace simulated {

int blocks = 0;

}  // namespace simulated

namespace foldline::cuda {

const std::size_t workspace_bytes = sizeof(Workspace);

namespace {

/// Stands for sources of all types, which are passed alike.
using AnySource = Contiguous<std::int8_t, 4, false, 384>;
static_assert(sizeof(AnySource) == sizeof(Contiguous<std::int64_t, 2, true, 384>));

}  // namespace

void start_kernel(const void* kernel, const KernelGrid& grid, const void* source, std::int64_t count,
                  const Launch& launch, const bool*) {
  const bool rounds = launch.round != nullptr && launch.round->count == count;
  const auto start =
      reinterpret_cast<void (*)(AnySource, Workspace*, KernelResult*, ResultTask)>(const_cast<void*>(kernel));
  simt::launch(start, simulated::blocks != 0 ? simulated::blocks : grid.blocks, grid.threads,
               static_cast<std::size_t>(grid.dynamic_memory), launch.stream,
               *static_cast<const AnySource*>(source), launch.workspace, launch.result,
               rounds ? *launch.round : ResultTask{});
}

}  // namespace foldline::cuda
