// Sums of the columns of row-major matrices, beside cuBLAS, for which they are a product with ones.
#include <foldline/async.hpp>
#include <foldline/axes.hpp>

#include <utility>

#include "bench/digest.hpp"
#include "groups.hpp"

namespace foldline::bench::cuda {
namespace {

/// A contestant that fills `sums`; all of them are looked at, or samples.
template <class QueueCall>
DeviceContestant filling(std::string name, Role role, const DeviceArray<double>& sums, const Shape& shape,
                         const QueueCall& queue) {
  const auto result = [=] {
    poison(sums.get(), shape.columns);
    queue(0);
    if (role != Role::foldline) return samples_of(sums.get(), shape.columns);
    return digest_of<double>(copy_to_host(sums.get(), shape.columns));
  };
  return {std::move(name), role, queue, result};
}

DeviceContestant ours(const DeviceProblem<double>& problem, const DeviceArray<double>& sums,
                      const Shape& shape) {
  const async::Queue queue = problem.machine->lane.queue();
  DeviceContestant made = filling("foldline exact", Role::foldline, sums, shape, [=](std::int64_t call) {
    async::reduce_columns(Operation::sum, MatrixView(problem.x(call), shape.rows, shape.columns),
                          MutableArrayView(sums.get(), {shape.columns}), {}, queue);
  });
  made.second = [=] {
    return digest_of<double>(
        foldline::column_sums(MatrixView(problem.on_host().x_data, shape.rows, shape.columns)));
  };
  return made;
}

void add_cublas(const DeviceProblem<double>& problem, const DeviceArray<double>& sums, const Shape& shape,
                std::vector<DeviceContestant>& list) {
  const Cublas* const cublas = &problem.machine->cublas;
  if (!cublas->is_there()) return;
  const DeviceArray<double> ones = device_array<double>(shape.rows);
  copy_to_device<double>(std::vector<double>(static_cast<std::size_t>(shape.rows), 1.0), ones.get());
  list.push_back(filling("cublasDgemv", Role::peer, sums, shape, [=](std::int64_t call) {
    cublas->gemv(shape.rows, shape.columns, problem.x(call), ones.get(), sums.get());
  }));
  list.push_back(filling("cublasDgemm", Role::peer, sums, shape, [=](std::int64_t call) {
    cublas->gemm(shape.rows, shape.columns, problem.x(call), ones.get(), sums.get());
  }));
}

}  // namespace

Competition column_sums(const DeviceProblem<double>& problem, const Shape& shape, const std::string& data) {
  const DeviceArray<double> sums = device_array<double>(shape.columns);
  std::vector<DeviceContestant> list;
  list.push_back(ours(problem, sums, shape));
  add_cublas(problem, sums, shape, list);
  // Uniform and normal elements have a magnitude of 1/2 to 1 in the mean.
  return {std::move(list), is_tame(data) ? tolerance_for<double>(static_cast<double>(shape.rows)) : -1};
}

}  // namespace foldline::bench::cuda
