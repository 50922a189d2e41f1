// The GPUs that the simulator can stand for: how many blocks are resident at once, what a request for memory
// costs, and which instructions there are. Figures are those of the vendor's data sheets and of
// cudaGetDeviceProperties.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace simt {

struct DeviceModel {
  std::string_view name;       ///< as options say it: "h200"
  std::string_view full_name;  ///< as cudaGetDeviceProperties says it
  int major = 0, minor = 0;    ///< compute capability

  int multiprocessors = 0;
  int threads_per_multiprocessor = 0;
  int blocks_per_multiprocessor = 0;
  int registers_per_multiprocessor = 0;

  std::size_t shared_per_multiprocessor = 0;
  std::size_t shared_per_block = 0;           ///< without asking for more
  std::size_t shared_per_block_at_most = 0;   ///< by cudaFuncSetAttribute
  std::size_t shared_reserved_per_block = 0;  ///< by the system, from what the multiprocessor has

  /// What memory moves at least: sectors of 32 bytes, or whole lines of the L1 cache.
  int sector_bytes = 32;
  std::size_t memory_bytes = 0;
  std::size_t l2_bytes = 0;
  std::size_t l1_bytes = 0;              ///< with shared memory, where both are one
  std::size_t constant_cache_bytes = 0;  ///< of a multiprocessor
  int clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;

  std::int64_t blocks_of_a_grid = 0;  ///< in x
  int elements_of_array_1d = 0;       ///< of a CUDA array of one dimension
  std::int64_t elements_of_linear_texture = 0;

  int capability() const { return 10 * major + minor; }
  /// Threads of a block, on all of them.
  static constexpr int threads_per_block = 1024;
};

std::span<const DeviceModel> devices();
/// Null if there is none of that name.
const DeviceModel* find_device(std::string_view name);
/// The one that is simulated unless another is asked for: h200.
const DeviceModel& default_device();

/// How many blocks one multiprocessor holds at once; 0 if it cannot hold one. Registers are not counted.
int resident_blocks(const DeviceModel& device, int threads, std::size_t shared_bytes);

/// What not every GPU can do.
enum class Feature : std::uint8_t {
  warp_shuffle,
  texture_object,
  managed_memory,
  double_atomic_add,
  cooperative_launch,
  double_tensor_step
};

bool has(const DeviceModel& device, Feature feature);

/// A program needs what the simulated device does not have.
class NotOnThisDevice : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws NotOnThisDevice: "not on a m2070: shuffles need 3.0".
void require(const DeviceModel& device, Feature feature);

}  // namespace simt
