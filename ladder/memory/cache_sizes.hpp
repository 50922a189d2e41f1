// What cache_sizes.cu measures, in the order of its results.
#pragma once

namespace foldline::ladder::memory {

/// Rings of 1 KiB, 2 KiB, ... 256 MiB; those in constant memory up to 64 KiB.
constexpr int ring_sizes = 19, constant_ring_sizes = 7, smallest_ring_words = 256;

/// Places of the cycles: of rings in global memory, behind textures, in constant memory; then what the device
/// says of itself, in KiB.
constexpr int through_texture = ring_sizes, in_constant_memory = 2 * ring_sizes,
              rings = in_constant_memory + constant_ring_sizes;
enum Asked { asked_constant_memory = rings, asked_shared_memory, asked_registers, asked_l2, cache_results };

}  // namespace foldline::ladder::memory
