// Tiles of contiguous vectors in shared memory: how elements arrive, where those of a thread are, and how
// results leave.
#pragma once

#include "cuda/scan/pipeline_memory.cuh"

namespace foldline::cuda {

#if __CUDA_ARCH__ >= 900

/// A thread has `Vec16s` times 16 contiguous bytes, an odd number, so that threads' accesses to shared memory
/// do not conflict. The elements of a warp are a slice of the tile.
template <class T, int Threads, int Vec16s>
struct TileCopies {
  static constexpr int bytes = Threads * Vec16s * 16, slice_bytes = 32 * Vec16s * 16;
  static constexpr int per_thread = Vec16s * 16 / sizeof(T), elements = per_thread * Threads;

  /// Starts to load the tile at a byte offset; by a warp. `padding` is written after the last element.
  static __device__ void load(std::byte* tile, const PipelineJob& job, std::int64_t offset, Barrier& full,
                              std::uint64_t policy, T padding) {
    const auto own = static_cast<unsigned>(bytes_from(job, offset, bytes));
    const unsigned whole = own & ~15u;
    if (own != bytes) fill_rest(tile, job.x + offset, whole, own, padding);
    if (lane() != 0) {
      if constexpr (every_lane_arrives) full.arrive();
      return;
    }
    full.arrive_expecting(whole);
    if (whole != 0) bulk_load(tile, job.x + offset, whole, full, policy);
  }
  /// The elements of this thread.
  static __device__ __forceinline__ T* of_thread(std::byte* tile) {
    return reinterpret_cast<T*>(tile) + threadIdx.x * per_thread;
  }
  static __device__ __forceinline__ void take(T (&x)[per_thread], std::byte* tile) {
#pragma unroll
    for (int q = 0; q < Vec16s; ++q)
      reinterpret_cast<uint4*>(x)[q] = reinterpret_cast<const uint4*>(of_thread(tile))[q];
  }
  /// Starts to store this warp's slice; a fence for bulk stores must precede.
  static __device__ __forceinline__ void store_slice(const std::byte* tile, const PipelineJob& job,
                                                     std::int64_t tile_offset) {
    const std::int64_t offset = tile_offset + warp() * slice_bytes;
    const auto own = static_cast<unsigned>(bytes_from(job, offset, slice_bytes));
    const unsigned whole = own & ~15u;
    const std::byte* const slice = tile + warp() * slice_bytes;
    if (whole != own) {
      const unsigned i = whole + sizeof(T) * lane();
      if (i < own) *reinterpret_cast<T*>(job.out + offset + i) = *reinterpret_cast<const T*>(slice + i);
    }
    if (lane() == 0 && whole != 0) bulk_store(job.out + offset, slice, whole);
  }

 private:
  static __device__ std::int64_t bytes_from(const PipelineJob& job, std::int64_t offset, std::int64_t most) {
    const std::int64_t left = job.count * static_cast<std::int64_t>(sizeof(T)) - offset;
    return left < 0 ? 0 : left < most ? left : most;
  }
  /// Fills the end of the last tile: elements that do not fill 16 bytes, and padding.
  static __device__ void fill_rest(std::byte* target, const std::byte* source, unsigned whole, unsigned own,
                                   T padding) {
    alignas(16) T nothing[16 / sizeof(T)];
    for (T& element : nothing) element = padding;
    for (unsigned i = whole + 16 * lane(); i < bytes; i += 512)
      *reinterpret_cast<uint4*>(target + i) = *reinterpret_cast<const uint4*>(nothing);
    __syncwarp();
    for (unsigned i = whole + sizeof(T) * lane(); i < own; i += 32 * sizeof(T))
      *reinterpret_cast<T*>(target + i) = *reinterpret_cast<const T*>(source + i);
    __syncwarp();
  }
};

#endif

}  // namespace foldline::cuda
