// Chooses the kernel of a reduction, and starts it.
#include "cuda/reduce/launch.hpp"

#include "cuda/reduce/round_result.hpp"
#include "cuda/runtime/kernel_attributes.hpp"
#include "cuda/runtime/programmatic_launch.hpp"
#include "foldline/detail/visit_type.hpp"

namespace foldline::cuda {

namespace {

bool is_contiguous(const Reduction& reduction) {
  const auto size = static_cast<std::uintptr_t>(size_of(reduction.x.type()));
  const auto x = reinterpret_cast<std::uintptr_t>(reduction.x.data());
  if (reduction.x.stride() != 1 || x % size != 0) return false;
  return !reduction.two_vectors ||
         (reduction.y.stride() == 1 && reinterpret_cast<std::uintptr_t>(reduction.y.data()) % 16 == x % 16);
}

}  // namespace

std::int64_t launch_reduce(const Reduction& reduction, const Launch& launch) {
  if (!is_contiguous(reduction)) return launch_strided(reduction, launch);
  return detail::visit_type(reduction.x.type(), [&]<class T>(std::type_identity<T>) {
    return launch_contiguous_as<element_type_of<T>>(reduction, launch);
  });
}

void start_kernel(const void* kernel, const KernelGrid& grid, const void* source, std::int64_t count,
                  const Launch& launch, const bool* may_wait) {
  const bool rounds = launch.round != nullptr && launch.round->count == count;
  ResultTask task = rounds ? *launch.round : ResultTask{};
  void* arguments[] = {const_cast<void*>(source), const_cast<Workspace**>(&launch.workspace),
                       const_cast<KernelResult**>(&launch.result), &task, const_cast<bool*>(may_wait)};
  launch_programmatically(kernel,
                          {.blocks = dim3(static_cast<unsigned>(grid.blocks)),
                           .threads = dim3(static_cast<unsigned>(grid.threads)),
                           .shared_bytes = static_cast<std::size_t>(grid.dynamic_memory),
                           .stream = launch.stream,
                           .cooperative = may_wait != nullptr && *may_wait},
                          arguments, "starting a reduction");
}

int most_dynamic_memory(const void* kernel, int threads, int blocks_per_multiprocessor,
                        std::initializer_list<int> bytes) {
  for (const int of_block : bytes)
    if (max_blocks_per_multiprocessor(kernel, threads, of_block, of_block) >= blocks_per_multiprocessor)
      return of_block;
  return 0;
}

bool all_may_wait(const void* kernel, int threads, int dynamic_memory, int blocks_per_multiprocessor,
                  const Launch& launch) {
  return is_captured(launch.stream) &&
         resident_blocks_per_multiprocessor(kernel, threads, dynamic_memory) >= blocks_per_multiprocessor;
}

}  // namespace foldline::cuda
