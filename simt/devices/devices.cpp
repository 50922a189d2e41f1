#include "simt/devices.hpp"

#include <algorithm>
#include <array>

namespace simt {
namespace {

constexpr std::size_t kib = 1024, mib = 1024 * kib, gib = 1024 * mib;
constexpr std::int64_t any_number_of_blocks = 0x7fffffff;

constexpr std::array models = {
    DeviceModel{.name = "h200",
                .full_name = "NVIDIA H200",
                .major = 9,
                .minor = 0,
                .multiprocessors = 132,
                .threads_per_multiprocessor = 2048,
                .blocks_per_multiprocessor = 32,
                .registers_per_multiprocessor = 65536,
                .shared_per_multiprocessor = 228 * kib,
                .shared_per_block = 48 * kib,
                .shared_per_block_at_most = 227 * kib,
                .shared_reserved_per_block = kib,
                .memory_bytes = 140 * gib,
                .l2_bytes = 60 * mib,
                .l1_bytes = 256 * kib,
                .constant_cache_bytes = 8 * kib,
                .clock_khz = 1980000,
                .memory_clock_khz = 3201000,
                .memory_bus_bits = 6144,
                .blocks_of_a_grid = any_number_of_blocks,
                .elements_of_array_1d = 131072,
                .elements_of_linear_texture = 268435456},
    DeviceModel{.name = "h100",
                .full_name = "NVIDIA H100 80GB HBM3",
                .major = 9,
                .minor = 0,
                .multiprocessors = 132,
                .threads_per_multiprocessor = 2048,
                .blocks_per_multiprocessor = 32,
                .registers_per_multiprocessor = 65536,
                .shared_per_multiprocessor = 228 * kib,
                .shared_per_block = 48 * kib,
                .shared_per_block_at_most = 227 * kib,
                .shared_reserved_per_block = kib,
                .memory_bytes = 79 * gib,
                .l2_bytes = 50 * mib,
                .l1_bytes = 256 * kib,
                .constant_cache_bytes = 8 * kib,
                .clock_khz = 1980000,
                .memory_clock_khz = 2619000,
                .memory_bus_bits = 5120,
                .blocks_of_a_grid = any_number_of_blocks,
                .elements_of_array_1d = 131072,
                .elements_of_linear_texture = 268435456},
    DeviceModel{.name = "a100",
                .full_name = "NVIDIA A100-SXM4-40GB",
                .major = 8,
                .minor = 0,
                .multiprocessors = 108,
                .threads_per_multiprocessor = 2048,
                .blocks_per_multiprocessor = 32,
                .registers_per_multiprocessor = 65536,
                .shared_per_multiprocessor = 164 * kib,
                .shared_per_block = 48 * kib,
                .shared_per_block_at_most = 163 * kib,
                .shared_reserved_per_block = kib,
                .memory_bytes = 39 * gib,
                .l2_bytes = 40 * mib,
                .l1_bytes = 192 * kib,
                .constant_cache_bytes = 8 * kib,
                .clock_khz = 1410000,
                .memory_clock_khz = 1215000,
                .memory_bus_bits = 5120,
                .blocks_of_a_grid = any_number_of_blocks,
                .elements_of_array_1d = 131072,
                .elements_of_linear_texture = 268435456},
    DeviceModel{.name = "t4",
                .full_name = "Tesla T4",
                .major = 7,
                .minor = 5,
                .multiprocessors = 40,
                .threads_per_multiprocessor = 1024,
                .blocks_per_multiprocessor = 16,
                .registers_per_multiprocessor = 65536,
                .shared_per_multiprocessor = 64 * kib,
                .shared_per_block = 48 * kib,
                .shared_per_block_at_most = 64 * kib,
                .shared_reserved_per_block = 0,
                .memory_bytes = 15 * gib,
                .l2_bytes = 4 * mib,
                .l1_bytes = 96 * kib,
                .constant_cache_bytes = 8 * kib,
                .clock_khz = 1590000,
                .memory_clock_khz = 5001000,
                .memory_bus_bits = 256,
                .blocks_of_a_grid = any_number_of_blocks,
                .elements_of_array_1d = 131072,
                .elements_of_linear_texture = 268435456},
    // Loads go through an L1 cache that fetches whole lines, in units of 128 bytes.
    DeviceModel{.name = "m2070",
                .full_name = "Tesla M2070",
                .major = 2,
                .minor = 0,
                .multiprocessors = 14,
                .threads_per_multiprocessor = 1536,
                .blocks_per_multiprocessor = 8,
                .registers_per_multiprocessor = 32768,
                .shared_per_multiprocessor = 48 * kib,
                .shared_per_block = 48 * kib,
                .shared_per_block_at_most = 48 * kib,
                .shared_reserved_per_block = 0,
                .sector_bytes = 128,
                .memory_bytes = 5 * gib,
                .l2_bytes = 768 * kib,
                .l1_bytes = 64 * kib,
                .constant_cache_bytes = 8 * kib,
                .clock_khz = 1147000,
                .memory_clock_khz = 1566000,
                .memory_bus_bits = 384,
                .blocks_of_a_grid = 65535,
                .elements_of_array_1d = 65536,
                .elements_of_linear_texture = 134217728},
};

struct Need {
  const char* who;  ///< "shuffles need"
  int capability;
};

Need need_of(Feature feature) {
  switch (feature) {
    case Feature::warp_shuffle:
      return {"shuffles need", 30};
    case Feature::texture_object:
      return {"texture objects need", 30};
    case Feature::managed_memory:
      return {"managed memory needs", 30};
    case Feature::double_atomic_add:
      return {"atomicAdd of doubles needs", 60};
    case Feature::cooperative_launch:
      return {"cooperative launches need", 60};
    case Feature::double_tensor_step:
      break;
  }
  return {"tensor cores for doubles need", 80};
}

}  // namespace

std::span<const DeviceModel> devices() { return models; }

const DeviceModel* find_device(std::string_view name) {
  const auto* const found = std::ranges::find(models, name, &DeviceModel::name);
  return found == models.end() ? nullptr : found;
}

const DeviceModel& default_device() { return models.front(); }

int resident_blocks(const DeviceModel& device, int threads, std::size_t shared_bytes) {
  if (threads <= 0 || threads > DeviceModel::threads_per_block) return 0;
  const int in_whole_warps = (threads + 31) / 32 * 32;
  const std::size_t shared = shared_bytes + device.shared_reserved_per_block;
  const std::size_t by_shared = shared == 0 ? static_cast<std::size_t>(device.blocks_per_multiprocessor)
                                            : device.shared_per_multiprocessor / shared;
  return std::min({device.blocks_per_multiprocessor, device.threads_per_multiprocessor / in_whole_warps,
                   static_cast<int>(std::min<std::size_t>(by_shared, 1024))});
}

bool has(const DeviceModel& device, Feature feature) {
  return device.capability() >= need_of(feature).capability;
}

void require(const DeviceModel& device, Feature feature) {
  if (has(device, feature)) return;
  const Need need = need_of(feature);
  throw NotOnThisDevice("not on a " + std::string(device.name) + ": " + need.who + " " +
                        std::to_string(need.capability / 10) + "." + std::to_string(need.capability % 10));
}

}  // namespace simt
