#include "bench/cuda/grid.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>

#include "bench/cuda/check.hpp"
#include "bench/cuda/grid_cub.hpp"
#include "bench/cuda/machine.hpp"
#include "bench/cuda/memory.hpp"
#include "bench/cuda/read_kernels.hpp"

namespace foldline::bench::cuda {
namespace {

/// What both contestants share.
struct Arrays {
  explicit Arrays(std::int64_t most_bytes)
      : bytes(most_bytes), x(device_array<std::byte>(most_bytes)), out(device_array<std::byte>(most_bytes)) {
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
    for (cudaEvent_t* event : {&begin, &end}) check(cudaEventCreate(event), "making an event");
  }
  /// Numbers in [0, 1), or integers from 0 of up to 20 bits.
  void fill(ElementType wanted) {
    if (type == wanted) return;
    type = wanted;
    const std::int64_t width = size_of(wanted), count = std::min<std::int64_t>(bytes / width, 1'000'003);
    std::mt19937_64 random(1);
    std::vector<std::byte> numbers(static_cast<std::size_t>(count * width));
    const MutableArrayView some(numbers.data(), wanted, {count}, {1});
    // The sum, or maximum, of one element is that element, in another type.
    if (is_floating(wanted)) {
      std::vector<double> made(static_cast<std::size_t>(count));
      for (double& x_i : made) x_i = static_cast<double>(random() >> 11) * 0x1p-53;
      reduce_rows(Operation::sum, MatrixView(made.data(), count, 1), some);
    } else {
      const std::uint64_t limit = width == 1 ? 128 : width == 2 ? 32768 : 1 << 20;
      std::vector<std::int64_t> made(static_cast<std::size_t>(count));
      for (std::int64_t& x_i : made) x_i = static_cast<std::int64_t>(random() % limit);
      reduce_rows(Operation::maximum, MatrixView(made.data(), count, 1), some);
    }
    for (std::int64_t at = 0; at < bytes; at += std::ssize(numbers))
      copy_to_device(std::span<const std::byte>(numbers).first(
                         static_cast<std::size_t>(std::min(std::ssize(numbers), bytes - at))),
                     x.get() + at);
  }
  /// Nanoseconds of a call, of several that are queued one by one.
  double time(const std::function<void()>& call, int calls) {
    if (calls > 1) call();  // keeps the GPU busy until all is queued
    check(cudaEventRecord(begin, stream), "taking time");
    for (int i = 0; i < calls; ++i) call();
    check(cudaEventRecord(end, stream), "taking time");
    check(cudaEventSynchronize(end), "taking time");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end), "taking time");
    return static_cast<double>(milliseconds) * 1e6 / calls;
  }

  const std::int64_t bytes;
  decltype(device_array<std::byte>(1)) x, out;
  std::optional<ElementType> type;
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr, end = nullptr;
};

class Ours final : public GridContestant {
 public:
  explicit Ours(std::shared_ptr<Arrays> arrays) : arrays_(std::move(arrays)), workspace_(Device::cuda()) {}
  std::string name() const override { return "foldline"; }
  bool prepare(const GridCell& cell) override {
    cell_ = cell;
    arrays_->fill(cell.type);
    const ArrayView x = cell.x(arrays_->x.get());
    const MutableArrayView out = cell.out(arrays_->out.get());
    const async::Queue queue{.workspace = &workspace_, .stream = arrays_->stream};
    if (cell.is_scan())
      call_ = [=, this] {
        async::inclusive_scan_axis(x, cell_.axis, out, queue, {.overflow = Overflow::wrap});
      };
    else
      call_ = [=, this] {
        async::reduce_axis(operation_of(cell_), x, cell_.axis, out, {}, queue, {.overflow = Overflow::wrap});
      };
    try {
      call_();
    } catch (const InvalidArgument& error) {
      fmt::print(stderr, "left out, {} of {}: {}\n", cell.operation, name_of(cell.type), error.what());
      return false;
    }
    calls_ = 1;
    while (calls_ < 1024 && measure() * calls_ < 2e6) calls_ *= 2;
    return true;
  }
  double measure() override { return arrays_->time(call_, calls_); }
  std::optional<double> read(std::int64_t bytes) override {
    const auto sink = device_array<int>(1);
    double best = 0;
    for (const ReadKernel& kernel : read_kernels())
      for (int i = 0; i < 5; ++i) {
        const double ns = arrays_->time(
            [&] { check(kernel.queue(arrays_->x.get(), bytes, sink.get(), arrays_->stream), "reading"); },
            10);
        if (best == 0 || ns < best) best = ns;
      }
    return best;
  }

 private:
  const std::shared_ptr<Arrays> arrays_;
  DeviceWorkspace workspace_;
  GridCell cell_;
  std::function<void()> call_;
  int calls_ = 1;
};

/// DeviceSegmentedReduce, for rows of contiguous elements.
class Cub final : public GridContestant {
 public:
  explicit Cub(std::shared_ptr<Arrays> arrays) : arrays_(std::move(arrays)) {}
  std::string name() const override { return "CUB"; }
  bool prepare(const GridCell& cell) override {
    const bool is_rows = cell.layout == "dense" && cell.axis_index() + 1 == cell.shape.size();
    const bool is_sum = cell.operation == "sum";
    if (!is_rows || (!is_sum && cell.operation != "maximum")) return false;
    arrays_->fill(cell.type);
    const auto queue = [=, this](void* memory, std::size_t& bytes) {
      return queue_segmented_reduce(
          {arrays_->x.get(), arrays_->out.get(), cell.type, is_sum, cell.results(), cell.shape.back()},
          memory, bytes, arrays_->stream);
    };
    std::size_t bytes = 0;
    if (!queue(nullptr, bytes)) return false;
    memory_ = device_array<std::byte>(static_cast<std::int64_t>(bytes) + 1);
    call_ = [=, this]() mutable { queue(memory_.get(), bytes); };
    call_();
    calls_ = 1;
    while (calls_ < 1024 && measure() * calls_ < 2e6) calls_ *= 2;
    return true;
  }
  double measure() override { return arrays_->time(call_, calls_); }

 private:
  const std::shared_ptr<Arrays> arrays_;
  decltype(device_array<std::byte>(1)) memory_;
  std::function<void()> call_;
  int calls_ = 1;
};

}  // namespace

void add_grid_contestants(std::int64_t most_bytes, std::vector<MadeContestant>& contestants) {
  const auto arrays = std::make_shared<Arrays>(most_bytes);
  contestants.push_back(std::make_unique<Ours>(arrays));
  contestants.push_back(std::make_unique<Cub>(arrays));
}

nlohmann::ordered_json describe_grid_gpu() { return describe_gpu(Cublas(nullptr)); }

}  // namespace foldline::bench::cuda
