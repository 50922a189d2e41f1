// Prefix sums, beside CUB's and beside copies of the vector.
#include <foldline/async.hpp>
#include <foldline/scan.hpp>

#include <memory>
#include <utility>

#include "bench/digest.hpp"
#include "cccl.hpp"
#include "groups.hpp"

namespace foldline::bench::cuda {
namespace {

template <Element T>
struct ScanProblem {
  DeviceProblem<T> problem;
  DeviceArray<T> out;

  T* results(std::int64_t call = 0) const { return out.get() + problem.offset(call); }
};

/// A contestant that fills the results; all of them are looked at, or samples.
template <Element T, class Queue>
DeviceContestant filling(std::string name, Role role, const ScanProblem<T>& scan, const Queue& queue) {
  const auto result = [=] {
    poison(scan.results(), scan.problem.size);
    queue(0);
    if (role != Role::foldline) return samples_of(scan.results(), scan.problem.size);
    const std::vector<T> results = copy_to_host(scan.results(), scan.problem.size);
    if (scan.problem.machine->lane.take_status() < 0)
      throw std::runtime_error("a scan says that its sums do not fit, but they do");
    return digest_of<T>(results);
  };
  return {std::move(name), role, queue, result};
}

template <Element T>
DeviceContestant ours(const char* name, const ScanProblem<T>& scan, const async::Queue& queue,
                      const Context& context = {}) {
  return filling(name, Role::foldline, scan, [=](std::int64_t call) {
    async::inclusive_scan(VectorView(scan.problem.x(call), scan.problem.size),
                          MutableVectorView(scan.results(call), scan.problem.size), queue, context);
  });
}

template <Element T>
DeviceContestant cub_scan(const Cccl<T>& cccl, const ScanProblem<T>& scan) {
  const cudaStream_t stream = scan.problem.machine->lane.stream();
  const int size = scan.problem.int_size();
  std::size_t bytes = 0;
  check(cccl.inclusive_sum(nullptr, bytes, scan.problem.x(), scan.results(), size, stream), "CUB's scan");
  const DeviceArray<char> scratch = device_array<char>(static_cast<std::int64_t>(bytes));
  return filling("CUB " + cccl.release + " InclusiveSum", Role::peer, scan, [=](std::int64_t call) {
    std::size_t size_of_scratch = bytes;
    check(cccl.inclusive_sum(scratch.get(), size_of_scratch, scan.problem.x(call), scan.results(call), size,
                             stream),
          "CUB's scan");
  });
}

/// In a graph a copy may take another way than in a stream.
template <Element T>
DeviceContestant plain_copy(const char* name, bool capturable, const ScanProblem<T>& scan) {
  const cudaStream_t stream = scan.problem.machine->lane.stream();
  DeviceContestant made = filling(name, Role::plain, scan, [=](std::int64_t call) {
    check(cudaMemcpyAsync(scan.results(call), scan.problem.x(call),
                          static_cast<std::size_t>(scan.problem.size) * sizeof(T), cudaMemcpyDeviceToDevice,
                          stream),
          "copying");
  });
  made.capturable = capturable;
  return made;
}

template <Element T>
Values on_cpu(const Problem<T>& problem) {
  std::vector<T> out(static_cast<std::size_t>(problem.size));
  inclusive_scan(problem.x(), out);
  return digest_of<T>(out);
}

template <Element T>
double sum_of_magnitudes(const Problem<T>& problem) {
  if constexpr (FloatingElement<T>)
    return static_cast<double>(vector_abs_sum(problem.x()));
  else
    return 0;
}

}  // namespace

template <Element T>
Competition scan(const DeviceProblem<T>& problem, const DeviceArray<T>& out, const std::string& data) {
  const ScanProblem<T> scan = {problem, out};
  Lane& lane = problem.machine->lane;
  const Values expected = on_cpu(problem.on_host());  // of all that are exact the same
  std::vector<DeviceContestant> list;
  list.push_back(ours("foldline exact", scan, lane.queue()));
  list.back().second = [expected] { return expected; };
  if constexpr (FloatingElement<T>) {
    list.push_back(ours("foldline fast", scan, lane.queue(), {.accuracy = Accuracy::fast}));
    list.back().second = list.back().result;  // the same in every run
  } else {
    list.push_back(ours("foldline wrap", scan, lane.queue(), {.overflow = Overflow::wrap}));
    list.back().second = [expected] { return expected; };
  }
  list.push_back(plain_copy("cudaMemcpy", true, scan));
  list.push_back(plain_copy("cudaMemcpy in stream", false, scan));
  for (const Cccl<T>& cccl : all_cccl<T>()) list.push_back(cub_scan(cccl, scan));
  return {std::move(list), is_tame(data) ? tolerance_for<T>(sum_of_magnitudes(problem.on_host())) : -1};
}

template Competition scan(const DeviceProblem<double>&, const DeviceArray<double>&, const std::string&);
template Competition scan(const DeviceProblem<float>&, const DeviceArray<float>&, const std::string&);
template Competition scan(const DeviceProblem<std::int32_t>&, const DeviceArray<std::int32_t>&,
                          const std::string&);
template Competition scan(const DeviceProblem<std::int64_t>&, const DeviceArray<std::int64_t>&,
                          const std::string&);

}  // namespace foldline::bench::cuda
