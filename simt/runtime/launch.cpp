#include <simt/device_memory.hpp>
#include <simt/devices.hpp>
#include <simt/simt.hpp>

#include <algorithm>
#include <numeric>

#include "devices/device_state.hpp"
#include "memory/memory.hpp"
#include "model/sample.hpp"
#include "report/summary.hpp"
#include "runtime/block.hpp"
#include "runtime/checks.hpp"
#include "runtime/deadlock.hpp"
#include "runtime/places.hpp"
#include "runtime/shared_memory.hpp"

namespace simt {
namespace {

[[noreturn]] void refuse(std::string text) { throw error_at(ErrorKind::launch, nullptr, 0, std::move(text)); }

void check_launch(const Machine& all) {
  const DeviceModel& device = all.options.device;
  const std::uint64_t threads = std::uint64_t{all.block.x} * all.block.y * all.block.z;
  const std::string name = function_name(all.kernel);
  if (threads == 0 || all.blocks == 0)
    refuse(name + ": a grid and a block have at least one block and one thread");
  if (threads > DeviceModel::threads_per_block)
    refuse(name + ": a block of " + std::to_string(threads) + " threads; the most are " +
           std::to_string(DeviceModel::threads_per_block));
  if (all.block.z > 64)
    refuse(name + ": a block can have 64 threads in z, not " + std::to_string(all.block.z));
  if (all.grid.x > device.blocks_of_a_grid || all.grid.y > 65535 || all.grid.z > 65535)
    refuse(name + ": a grid of " + name_of_index(all.grid) + " blocks; the most are " +
           std::to_string(device.blocks_of_a_grid) + " in x and 65535 in y and z");
  if (all.options.checks && all.blocks >= most_sequences - 1)
    refuse(name + ": a grid of " + std::to_string(all.blocks) + " blocks; with checks the simulator takes " +
           std::to_string(most_sequences - 2));
  const std::size_t most = std::min(dynamic_shared_limit(all.kernel), most_dynamic_shared);
  if (all.dynamic_bytes > most)
    refuse(name + ": " + std::to_string(all.dynamic_bytes) +
           " bytes of dynamic shared memory; the kernel may have " + std::to_string(most) + ", and up to " +
           std::to_string(device.shared_per_block_at_most) + " if cudaFuncSetAttribute asks for them");
}

/// Stamps have room for so many blocks; then all that is known of memory is forgotten.
std::uint32_t take_sequences(std::uint64_t blocks) {
  static std::uint64_t next = 1;
  if (next + blocks >= most_sequences) next = 1;
  const auto first = static_cast<std::uint32_t>(next);
  next += std::min<std::uint64_t>(blocks, most_sequences - 1);
  return first;
}

void find_image(Machine& all) {
  const auto kernel = reinterpret_cast<std::uintptr_t>(all.kernel);
  all.image = nullptr;
  all.static_shared = {};
  for (const Image& image : images().images) {
    const auto& blocks = images().blocks;
    const std::size_t count = (image.guards.end - image.guards.begin) / sizeof(std::uint32_t);
    for (std::size_t id = image.first_block; id < image.first_block + count; ++id)
      if (blocks[id].is_entry && blocks[id].address == kernel) all.image = &image;
  }
  if (all.image != nullptr) all.static_shared = all.image->shared;
}

/// Gives blocks their turns until all have ended.
class Scheduler {
 public:
  explicit Scheduler(Machine& all) : all_(all) {}

  void run() {
    std::uint32_t idle = 0;
    while (!all_.error) {
      const std::uint64_t before = all_.progress;
      give_turns();
      if (all_.error) break;
      if (start_some()) continue;
      if (all_.live.empty()) break;
      const bool all_spin =
          std::all_of(all_.live.begin(), all_.live.end(), [](const auto& block) { return block->spins; });
      idle = all_spin && before == all_.progress ? idle + 1 : 0;
      if (idle == rounds_of_deadlock) explain_deadlock(next_);
    }
  }

 private:
  /// Blocks that have done nothing but look at the same memory, some ten times in each of so many turns,
  /// wait forever.
  static constexpr std::uint32_t rounds_of_deadlock = 10;

  void give_turns() {
    if (all_.options.order == Order::hostile) std::shuffle(all_.live.begin(), all_.live.end(), all_.random);
    for (std::size_t i = 0; i < all_.live.size() && !all_.error;)
      if (goes_on(i)) ++i;
  }

  /// Gives a turn to one block. False if that ended it.
  bool goes_on(std::size_t i) {
    if (run_turn(*all_.live[i])) return true;
    if (all_.loaded == all_.live[i].get()) all_.loaded = nullptr;
    ended_.push_back(std::move(all_.live[i]));
    all_.live.erase(all_.live.begin() + static_cast<std::ptrdiff_t>(i));
    ++all_.progress;
    return false;
  }

  /// Starts half as many blocks as wait, so that the number of rounds in which all wait grows with the
  /// logarithm of the number of blocks only. False if there is none to start, or no room.
  bool start_some() {
    const std::size_t most = all_.live.size() / 2 + 1;
    std::size_t started = 0;
    while (started < most && !all_.error && start_next()) {
      ++started;
      goes_on(all_.live.size() - 1);
    }
    return started != 0;
  }

  bool start_next() {
    const std::uint64_t count = all_.sample.empty() ? all_.blocks : all_.sample.size();
    if (next_ >= count || all_.live.size() >= all_.resident) return false;
    std::unique_ptr<Block> block;
    if (ended_.empty()) {
      block = std::make_unique<Block>(all_.threads);
    } else {
      block = std::move(ended_.back());
      ended_.pop_back();
      block->shared.clear();
    }
    const std::uint64_t place = all_.options.order == Order::reversed ? count - 1 - next_ : next_;
    const std::uint64_t number = all_.sample.empty() ? place : all_.sample[place];
    start_block(*block, number);
    all_.live.push_back(std::move(block));
    ++next_;
    ++all_.progress;
    ++all_.counters.totals.blocks;
    return true;
  }

  Machine& all_;
  std::uint64_t next_ = 0;
  std::vector<std::unique_ptr<Block>> ended_;
};

}  // namespace

Machine running_machine;

void launch_body(const void* kernel, ThreadBody body, void* context, dim3 grid, dim3 block,
                 std::size_t shared_bytes, cudaStream_t, std::span<const Argument> arguments) {
  Machine& all = machine();
  if (all.body != nullptr) throw std::logic_error("simt: a kernel is running in another thread of the host");
  all.kernel = kernel;
  all.grid = grid;
  all.block = block;
  all.blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  all.threads = block.x * block.y * block.z;
  all.dynamic_bytes = shared_bytes;
  all.arguments = arguments;
  all.memory = &device_memory();
  all.basic_blocks = images().blocks.data();
  all.options = options();
  check_launch(all);
  find_image(all);
  all.resident = static_cast<std::uint64_t>(all.options.device.multiprocessors) *
                 static_cast<std::uint64_t>(
                     resident_blocks(all.options.device, static_cast<int>(all.threads), shared_bytes));
  all.resident = std::max<std::uint64_t>(all.resident, 1);
  all.sample = all.options.sampled_blocks == 0 ? std::vector<std::uint64_t>()
                                               : model::sample_of_blocks(grid, all.options.sampled_blocks);
  all.first_sequence = take_sequences(all.blocks);
  all.random.seed(all.options.seed);
  all.progress = 0;
  all.error.reset();
  all.counters.clear(images().blocks.size());
  all.recorders.assign(all.options.timeline_steps == 0 ? 0 : (all.threads + warp_lanes - 1) / warp_lanes,
                       WarpRecorder(all.options.timeline_steps));
  prepare_shared(all);
  checks().begin();
  const DeviceAccess access;
  all.body = body;
  all.context = context;
  Scheduler(all).run();
  if (!all.error) checks().settle_global();
  all.live.clear();
  all.body = nullptr;
  if (all.error) {
    const Error error = *std::move(all.error);
    all.error.reset();
    throw error;
  }
  if (all.options.trace) launches().push_back(summary(all));
}

}  // namespace simt
