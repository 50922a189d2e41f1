// mpirun -n P mpi_on_gpu_MPI [--cases N] [--bytes N]: arrays and vectors in the memory of a GPU must give the
// bits of those in the host's; then how long both take, as JSON. Ranks share the GPUs that there are. Ends
// with 77 if there is none.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include <foldline/foldline.hpp>
#include <foldline/mpi.hpp>

namespace {

namespace mpi = foldline::mpi;
using foldline::DeviceBuffer;
using foldline::MutableVectorView;
using foldline::Operation;
using foldline::VectorView;

const MPI_Comm world = MPI_COMM_WORLD;
int failures = 0;

void expect(bool right, const char* what, std::int64_t size) {
  if (right) return;
  ++failures;
  std::printf("wrong: %s of %lld elements\n", what, static_cast<long long>(size));
}

/// A copy of host memory on the GPU.
class Copied {
 public:
  template <class T>
  Copied(const std::vector<T>& values, const foldline::Context& gpu)
      : bytes_(static_cast<std::int64_t>(values.size() * sizeof(T))),
        execution_(gpu.execution),
        buffer_(execution_.device, bytes_, DeviceBuffer::Kind::device) {
    foldline::copy_bytes(values.data(), buffer_.data(), bytes_, execution_);
  }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(buffer_.data());
  }
  template <class T>
  bool equals(const std::vector<T>& expected) const {
    std::vector<T> values(expected.size());
    foldline::copy_bytes(buffer_.data(), values.data(), bytes_, execution_);
    return std::memcmp(values.data(), expected.data(), static_cast<std::size_t>(bytes_)) == 0;
  }

 private:
  std::int64_t bytes_;
  foldline::Execution execution_;
  DeviceBuffer buffer_;
};

template <class T>
void check(std::int64_t size, std::mt19937_64& random, int rank, int ranks, const foldline::Context& gpu) {
  std::vector<T> x(static_cast<std::size_t>(size)), y = x, expected = x;
  std::mt19937_64 own(random() + static_cast<std::uint64_t>(rank));
  for (T& value : x) {
    const auto significand = static_cast<double>(static_cast<std::int64_t>(own()));
    const double number = std::ldexp(significand, static_cast<int>(own() % 90) - 110);
    if constexpr (sizeof(T) == 8)
      value = number;
    else
      value = static_cast<T>(static_cast<float>(number));
  }
  y.assign(x.rbegin(), x.rend());
  const Copied on_gpu(x, gpu), other(y, gpu), result(y, gpu);
  mpi::all_reduce(x, expected, world);
  mpi::all_reduce(VectorView(on_gpu.as<T>(), size), MutableVectorView(result.as<T>(), size), world,
                  Operation::sum, gpu);
  expect(result.equals(expected), "all_reduce", size);
  const Copied in_place(x, gpu), later(x, gpu);
  auto request = mpi::iall_reduce(MutableVectorView(later.as<T>(), size), world, Operation::sum, gpu);
  request.wait();
  mpi::all_reduce(MutableVectorView(in_place.as<T>(), size), world, Operation::sum, gpu);
  expect(in_place.equals(expected) && later.equals(expected), "all_reduce in place", size);
  const std::int64_t first = size * rank / ranks, last = size * (rank + 1) / ranks;
  std::vector<T> block(expected.begin() + first, expected.begin() + last);
  const Copied scattered(block, gpu);
  mpi::reduce_scatter(VectorView(on_gpu.as<T>(), size), MutableVectorView(scattered.as<T>(), last - first),
                      world, Operation::sum, gpu);
  expect(scattered.equals(block), "reduce_scatter", size);

  const VectorView part(on_gpu.as<T>(), size), second(other.as<T>(), size);
  const auto same = [](auto a, auto b) { return std::memcmp(&a, &b, sizeof a) == 0; };
  for (const Operation operation :
       {Operation::sum, Operation::mean, Operation::two_norm, Operation::variance, Operation::maximum})
    expect(same(mpi::reduce(operation, part, world, {}, gpu).template as<T>(),
                mpi::reduce(operation, x, world).template as<T>()),
           "reduce", size);
  expect(same(mpi::dot<double>(part, second, world, gpu), mpi::dot<double>(x, y, world)), "dot", size);
  expect(same(mpi::isum<double>(part, world, gpu).wait(), mpi::sum<double>(x, world)), "isum", size);
}

double seconds_of(const MutableVectorView& array, const foldline::Context& context) {
  std::vector<double> times;
  for (int round = 0; round < 7; ++round) {
    MPI_Barrier(world);
    const double start = MPI_Wtime();
    mpi::all_reduce(array, world, Operation::sum, context);
    double time = MPI_Wtime() - start, slowest = 0;
    MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, world);
    times.push_back(slowest);
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &ranks);
  std::int64_t cases = 20, bytes = 64 << 20;
  for (int i = 1; i + 1 < argc; i += 2)
    (std::strcmp(argv[i], "--bytes") == 0 ? bytes : cases) = std::atoll(argv[i + 1]);
  const auto gpus = foldline::gpus();
  if (gpus.empty()) {
    if (rank == 0) std::printf("no GPU: %s\n", foldline::why_no_gpu().c_str());
    MPI_Finalize();
    return 77;
  }
  const foldline::Context gpu = {
      .execution = {.device = gpus[static_cast<std::size_t>(rank) % gpus.size()].device}};
  std::mt19937_64 random(7);
  for (std::int64_t i = 0; i < cases; ++i) {
    const auto size = static_cast<std::int64_t>(random() % (i % 5 == 0 ? 3'000'000 : 2000) + 1);
    check<double>(size, random, rank, ranks, gpu);
    check<float>(size, random, rank, ranks, gpu);
    check<foldline::bfloat16>(size, random, rank, ranks, gpu);
  }
  std::vector<float> x(static_cast<std::size_t>(bytes) / sizeof(float), 0.1f * static_cast<float>(rank + 1));
  const Copied on_gpu(x, gpu);
  const auto size = static_cast<std::int64_t>(x.size());
  const double there = seconds_of(MutableVectorView(on_gpu.as<float>(), size), gpu);
  const double here = seconds_of(x, {});
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, world);
  if (rank == 0)
    std::printf(
        "{\"ranks\": %d, \"gpu\": \"%s\", \"MPI knows CUDA\": %s, \"cases\": %lld, \"wrong\": %d, \"bytes\": "
        "%lld, "
        "\"float32 on the GPU, seconds\": %.4g, \"in memory of the host\": %.4g}\n",
        ranks, gpus[0].name.c_str(), mpi::detail::GpuMemory::used()->is_known_to_mpi() ? "true" : "false",
        static_cast<long long>(cases), all, static_cast<long long>(bytes), there, here);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
