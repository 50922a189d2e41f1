// Reductions of whole vectors, beside CUB, Thrust and cuBLAS.
#include <foldline/async.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "cccl.hpp"
#include "groups.hpp"

namespace foldline::bench::cuda {
namespace {

constexpr std::array operations = {std::pair("sum", Operation::sum),
                                   std::pair("dot", Operation::dot),
                                   std::pair("abs_sum", Operation::abs_sum),
                                   std::pair("two_norm", Operation::two_norm),
                                   std::pair("mean", Operation::mean),
                                   std::pair("variance", Operation::variance),
                                   std::pair("statistics", Operation::statistics)};

/// A contestant whose call writes one number to the GPU's memory: queue_call(call, result).
template <class T, class QueueCall>
DeviceContestant one_number(std::string name, Role role, const QueueCall& queue_call) {
  const DeviceArray<T> number = device_array<T>(1);
  const auto queue = [=](std::int64_t call) { queue_call(call, number.get()); };
  const auto result = [=] {
    poison(number.get(), 1);
    queue(0);
    return as_values(copy_to_host(number.get(), 1).front());
  };
  return {std::move(name), role, queue, result};
}

/// From the CPU, by all its threads.
template <FloatingElement T>
double on_cpu(Operation operation, const Problem<T>& problem) {
  Accumulator all(operation);
  if (operation == Operation::dot)
    all.add(problem.x(), problem.y());
  else
    all.add(problem.x());
  return all.rounded(operation, element_type_of<T>).floating();
}

template <FloatingElement T>
DeviceContestant ours(Operation operation, const DeviceProblem<T>& problem) {
  const async::Queue queue = problem.machine->lane.queue();
  DeviceContestant made = one_number<T>("foldline exact", Role::foldline, [=](std::int64_t call, T* result) {
    const VectorView x(problem.x(call), problem.size);
    const MutableVectorView number(result, 1);
    if (operation == Operation::dot)
      async::reduce(operation, x, VectorView(problem.y(), problem.size), number, queue);
    else
      async::reduce(operation, x, number, {}, queue);
  });
  made.second = [=] { return Values{on_cpu(operation, problem.on_host())}; };
  return made;
}

/// There is none that does not wait: its time is that of a call and its result's way to the host.
template <FloatingElement T>
DeviceContestant our_statistics(const DeviceProblem<T>& problem) {
  const Context context = {.execution = {.device = Device::cuda(), .stream = problem.machine->lane.stream()}};
  const auto result = [=] {
    return as_values(statistics<T>(VectorView(problem.x(), problem.size), {}, context));
  };
  const auto second = [=] { return as_values(statistics(problem.on_host().x())); };
  return {"foldline exact", Role::foldline, [=](std::int64_t) { static_cast<void>(result()); },
          result,           second,         false};
}

/// A routine of CUB, with its scratch memory allocated.
template <FloatingElement T, class Routine>
DeviceContestant cub_contestant(const std::string& name, const DeviceProblem<T>& problem, Routine routine) {
  std::size_t bytes = 0;
  check(routine(nullptr, bytes, problem.x(), static_cast<T*>(nullptr)), name.c_str());
  const DeviceArray<char> scratch = device_array<char>(static_cast<std::int64_t>(bytes));
  return one_number<T>(name, Role::peer, [=](std::int64_t call, T* result) {
    std::size_t size = bytes;
    check(routine(scratch.get(), size, problem.x(call), result), name.c_str());
  });
}

template <FloatingElement T>
void add_cub(Operation operation, const DeviceProblem<T>& problem, std::vector<DeviceContestant>& list) {
  const cudaStream_t stream = problem.machine->lane.stream();
  const int size = problem.int_size();
  for (const Cccl<T>& cccl : all_cccl<T>()) {
    const auto add = [&](const char* routine, const auto& call) {
      list.push_back(cub_contestant<T>("CUB " + cccl.release + ' ' + routine, problem, call));
    };
    if (operation == Operation::sum)
      add("Sum", [=](void* scratch, std::size_t& bytes, const T* x, T* result) {
        return cccl.sum(scratch, bytes, x, result, size, stream);
      });
    if (operation == Operation::abs_sum)
      add("TransformReduce", [=](void* scratch, std::size_t& bytes, const T* x, T* result) {
        return cccl.abs_sum(scratch, bytes, x, result, size, stream);
      });
    if (operation == Operation::dot)
      add("TransformReduce", [=](void* scratch, std::size_t& bytes, const T* x, T* result) {
        return cccl.dot(scratch, bytes, x, problem.y(), result, size, stream);
      });
  }
}

template <FloatingElement T>
void add_cublas(Operation operation, const DeviceProblem<T>& problem, std::vector<DeviceContestant>& list) {
  const Cublas* const cublas = &problem.machine->cublas;
  if (!cublas->is_there()) return;
  const int size = problem.int_size();
  const std::string prefix = sizeof(T) == 8 ? "cublasD" : "cublasS";
  if (operation == Operation::dot)
    list.push_back(one_number<T>(prefix + "dot", Role::peer, [=](std::int64_t call, T* result) {
      cublas->dot(size, problem.x(call), problem.y(), result);
    }));
  if (operation == Operation::abs_sum)
    list.push_back(one_number<T>(prefix + "asum", Role::peer, [=](std::int64_t call, T* result) {
      cublas->asum(size, problem.x(call), result);
    }));
  if (operation == Operation::two_norm)
    list.push_back(one_number<T>(prefix + "nrm2", Role::peer, [=](std::int64_t call, T* result) {
      cublas->nrm2(size, problem.x(call), result);
    }));
}

/// Its result goes to the host, for which it waits.
template <FloatingElement T>
DeviceContestant thrust_contestant(const Cccl<T>& cccl, const DeviceProblem<T>& problem) {
  const cudaStream_t stream = problem.machine->lane.stream();
  const auto result = [=] { return as_values(cccl.thrust_sum(problem.x(), problem.int_size(), stream)); };
  return {"Thrust " + cccl.release + " reduce",
          Role::peer,
          [=](std::int64_t) { static_cast<void>(result()); },
          result,
          {},
          false};
}

/// The sum of the magnitudes of the terms, or a bound of it.
template <FloatingElement T>
double scale_of(Operation operation, const Problem<T>& problem) {
  if (operation == Operation::dot)
    return on_cpu(Operation::two_norm, problem) *
           on_cpu(Operation::two_norm, Problem<T>{problem.y_data, nullptr, problem.size, problem.threads});
  return on_cpu(operation == Operation::two_norm ? operation : Operation::abs_sum, problem);
}

}  // namespace

const std::vector<std::string>& reductions() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& [name, operation] : operations) list.emplace_back(name);
    return list;
  }();
  return names;
}

template <FloatingElement T>
Competition reduction(const std::string& name, const DeviceProblem<T>& problem, const std::string& data) {
  const Operation operation =
      std::ranges::find(operations, name, [](const auto& entry) { return std::string(entry.first); })->second;
  std::vector<DeviceContestant> list;
  list.push_back(operation == Operation::statistics ? our_statistics(problem) : ours(operation, problem));
  add_cublas(operation, problem, list);  // first, where there is one: small targets name the first peer
  add_cub(operation, problem, list);
  if (operation == Operation::sum) list.push_back(thrust_contestant(bundled_cccl<T>(), problem));
  const double scale = is_tame(data) ? scale_of(operation, problem.on_host()) : 0;
  return {std::move(list), is_tame(data) ? tolerance_for<T>(scale) : -1};
}

template Competition reduction(const std::string&, const DeviceProblem<double>&, const std::string&);
template Competition reduction(const std::string&, const DeviceProblem<float>&, const std::string&);

}  // namespace foldline::bench::cuda
