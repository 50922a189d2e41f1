// Arrays in the memory of a GPU, without one: a stand-in whose memory is the host's. What all_reduce() does
// with it must be what it does without.
#include <algorithm>
#include <cstring>
#include <map>

#include "foldline/mpi.hpp"
#include "spread.hpp"

namespace spread {

namespace {

namespace mpi = foldline::mpi;
using foldline::DeviceBuffer;

class StandIn : public mpi::detail::GpuMemory {
 public:
  explicit StandIn(bool is_known) : is_known_(is_known) { used() = this; }
  ~StandIn() override { used() = before_; }

  bool has(const foldline::Device& /*device*/, const void* data) const override {
    const auto* const at = static_cast<const std::byte*>(data);
    const auto block = blocks_.upper_bound(at);
    return block != blocks_.begin() && at < std::prev(block)->second;
  }
  std::shared_ptr<std::byte> allocate(const foldline::Device& device, std::int64_t bytes,
                                      DeviceBuffer::Kind kind) const override {
    (kind == DeviceBuffer::Kind::device ? device_buffers : pinned_buffers) += 1;
    if (kind == DeviceBuffer::Kind::device) return memory(device, bytes);
    return {new std::byte[static_cast<std::size_t>(bytes)], std::default_delete<std::byte[]>()};
  }
  void copy(const void* from, void* to, std::int64_t bytes,
            const foldline::Execution& /*execution*/) const override {
    if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
  bool is_known_to_mpi() const override { return is_known_; }
  foldline::Context sums(const foldline::Context& context) const override {
    return {.accuracy = context.accuracy, .overflow = context.overflow};
  }

  /// Memory of the GPU.
  std::shared_ptr<std::byte> memory(const foldline::Device& /*device*/, std::int64_t bytes) const {
    auto* const first = new std::byte[static_cast<std::size_t>(bytes) + 1];
    blocks_[first] = first + bytes + 1;
    return {first, [this](std::byte* memory) {
              blocks_.erase(memory);
              delete[] memory;
            }};
  }

  mutable int device_buffers = 0, pinned_buffers = 0;

 private:
  const GpuMemory* before_ = used();
  bool is_known_;
  mutable std::map<const std::byte*, const std::byte*> blocks_;
};

}  // namespace

std::string check_gpu_arrays(const Ranks& ranks, std::uint64_t seed) {
  Random random(seed);
  const ElementType type = any_type(random);
  const std::int64_t size = random.log_uniform(random.one_in(10) ? 5000 : 100);
  enum Way { reduce, in_place, scatter, later };
  const auto way = static_cast<Way>(random.between(0, 3));
  std::vector<std::vector<double>> values;
  for (int rank = 0; rank < ranks.count; ++rank) values.push_back(any_values(type, size, random));
  const auto split = random_split(size, ranks.count, random);
  const bool all_know = random.coin();
  Random own(seed + static_cast<std::uint64_t>(ranks.rank));
  const bool is_known = random.one_in(3) ? own.coin() : all_know;  // hosts may differ

  const auto element = static_cast<std::size_t>(size_of(type));
  const cases::Layout x(values[static_cast<std::size_t>(ranks.rank)], type);
  const std::int64_t first = split[static_cast<std::size_t>(ranks.rank)];
  const std::int64_t count = way == scatter ? split[static_cast<std::size_t>(ranks.rank) + 1] - first : size;
  // Sums of integers wrap, so that there always is a result.
  foldline::Context context = {.overflow = foldline::Overflow::wrap};
  std::vector<std::byte> expected(static_cast<std::size_t>(count) * element), actual(expected.size());
  const foldline::MutableVectorView out(expected.data(), type, count);
  if (way == scatter)
    mpi::reduce_scatter(x.view(), out, ranks.comm, Operation::sum, context);
  else
    mpi::all_reduce(x.view(), out, ranks.comm, Operation::sum, context);

  const StandIn gpu(is_known);
  context.execution.device = foldline::Device::cuda();
  const auto there = gpu.memory({}, size * size_of(type)), results = gpu.memory({}, count * size_of(type));
  gpu.copy(x.view().data(), there.get(), size * size_of(type), {});
  const foldline::MutableVectorView on_gpu(there.get(), type, size), to(results.get(), type, count);
  if (way == reduce) mpi::all_reduce(on_gpu, to, ranks.comm, Operation::sum, context);
  if (way == in_place) mpi::all_reduce(on_gpu, ranks.comm, Operation::sum, context);
  if (way == scatter) mpi::reduce_scatter(on_gpu, to, ranks.comm, Operation::sum, context);
  if (way == later) mpi::iall_reduce(on_gpu, to, ranks.comm, Operation::sum, context).wait();
  gpu.copy(way == in_place ? there.get() : results.get(), actual.data(), count * size_of(type), {});
  if (actual != expected) return "arrays on a GPU: wrong sums of " + std::string(name_of(type));
  if ((is_known ? gpu.pinned_buffers : gpu.device_buffers) != 0 ||
      gpu.pinned_buffers + gpu.device_buffers == 0)
    return "arrays on a GPU: the wrong kind of memory was used";
  if (way == reduce && ranks.count > 1) {  // one rank has one array there, the other not
    try {
      mpi::all_reduce(on_gpu, ranks.rank == 0 ? out : to, ranks.comm, Operation::sum, context);
      return "arrays on a GPU: a mistake was not seen";
    } catch (const foldline::InvalidArgument&) {
    }
  }
  return "";
}

}  // namespace spread
