#include "groups.hpp"
#include "read_kernels.hpp"

namespace foldline::bench::cuda {

template <Element T>
std::vector<DeviceContestant> readers(const DeviceProblem<T>& problem, std::int64_t bytes) {
  const DeviceArray<int> sink = device_array<int>(1);
  const cudaStream_t stream = problem.machine->lane.stream();
  std::vector<DeviceContestant> list;
  for (const ReadKernel& kernel : read_kernels()) {
    const auto queue = [=](std::int64_t call) {
      check(kernel.queue(problem.x(call), bytes, sink.get(), stream), "reading");
    };
    const auto result = [=] {
      queue(0);
      check(cudaDeviceSynchronize(), "reading");
      return Values{};
    };
    list.push_back({kernel.name, Role::read, queue, result});
  }
  return list;
}

template std::vector<DeviceContestant> readers(const DeviceProblem<double>&, std::int64_t);
template std::vector<DeviceContestant> readers(const DeviceProblem<float>&, std::int64_t);

}  // namespace foldline::bench::cuda
