// The fallback of exact single-wave scans (single_wave_exact.cuh): blocks with arbitrary elements, from exact
// sums in rows of limbs.
#pragma once

#include "cuda/scan/block_tiles.cuh"
#include "cuda/scan/pipeline_memory.cuh"
#include "cuda/scan/unit_sum.cuh"

namespace foldline::cuda {

/// The parameters of the fallback.
struct FallbackScan {
  ScanJob all;
  FloatFormat format;
};

/// What a block passes to its fallback: that an earlier block or this one failed to publish a sum
/// (`some_failed`), or that only this one needs the fallback.
struct FallbackBlock {
  bool is_needed, some_failed;
  std::uint64_t number;  // of the launch
};

template <class T>
inline constexpr Elements kind_of = sizeof(T) == 8 ? Elements::float64 : Elements::float32;

template <class T>
struct FallbackScratch {
  Word before[scan_rows];
  int first_failed;
  TilesScratch<kind_of<T>, 1> tiles;
};

#if __CUDA_ARCH__ >= 900

/// Adds the sum published by a block before the first one that failed.
__device__ inline void add_status(Word* row, const TileStatus& status) {
  StatusRead read;
  read.load(status);
  const Int192 packed = read.words(), sum = unpack_sum(packed);
  const int unit = unpack_unit(packed);
#pragma unroll 1
  for (int i = 0; i < 6; ++i) {
    const std::uint64_t word = sum.word[i / 2];
    const auto digit = static_cast<std::uint32_t>(i % 2 == 0 ? word : word >> 32);
    add_to_rows(row, i < 5 ? std::int64_t{digit} : std::int64_t{static_cast<std::int32_t>(digit)},
                unit + 32 * i);
  }
}

/// Scans a block's elements: `elements_of_block`, or what is left. Its first `tile_threads` threads call; the
/// others have exited.
template <class T>
__device__ __noinline__ void scan_fallback(const PipelineJob& job, const FallbackScan& fallback,
                                           const FallbackBlock& own_block, int elements_of_block,
                                           std::byte* memory) {
  constexpr Elements kind = kind_of<T>;
  auto& scratch = *reinterpret_cast<FallbackScratch<T>*>(memory);
  ScanWorkspace& workspace = *job.workspace;
  const auto thread = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  const unsigned epoch = epoch_of(own_block.number);
  const ScanJob& own = scratch.tiles.job;
  scratch.tiles.clear_sums();
  if (thread < scan_rows) scratch.before[thread] = static_cast<Word>(job.before.row[thread]);
  if (thread == 0) {
    scratch.first_failed = block;
    scratch.tiles.job =
        fallback.all.part(std::int64_t{block} * elements_of_block, elements_of_block, job.count);
  }
  __syncthreads();
  if (own_block.some_failed)
    for (int t = thread; t < block; t += tile_threads) {
      StatusRead read;
      read.load(workspace.status[t]);
      if (read.failed()) atomicMin(&scratch.first_failed, t);
    }

  const auto tiles_of = [](int elements) { return (elements - 1) / float_tile + 1; };
  const BlockTiles tiles{0, tiles_of(own.count), block * tiles_of(elements_of_block)};
  add_up_tiles<kind>(own, tiles, workspace, scratch.tiles.sums);
  __threadfence();
  __syncthreads();
  if (own_block.some_failed && thread == 0)
    *static_cast<volatile unsigned*>(&workspace.row_epoch[block]) = epoch;

  const int first_failed = scratch.first_failed;
  for (int t = thread; t < first_failed; t += tile_threads) add_status(scratch.before, workspace.status[t]);
  // These blocks published sums, so an element other than -0 has come before.
  if (first_failed > 0 && thread == 0) scratch.before[other_than_negative_zero_row] = 1;
  for (int t = first_failed + thread; t < block; t += tile_threads)
    while (*static_cast<volatile unsigned*>(&workspace.row_epoch[t]) != epoch) continue;
  __threadfence();
  __syncthreads();
  if (thread < scan_rows) {
    std::int64_t sum = 0;
#pragma unroll 8
    for (int t = first_failed; t < block; ++t) sum += __ldcg(&workspace.block_row[thread][t]);
    scratch.before[thread] += static_cast<Word>(sum);
  }
  __syncthreads();
  scan_tiles<kind>(
      own, tiles, fallback.format, workspace,
      [&](int r) { return static_cast<std::int64_t>(scratch.before[r]); }, scratch.tiles.scan,
      scratch.tiles.staged, false);
  if (block != static_cast<int>(gridDim.x) - 1) return;
  if (thread < scan_rows)
    job.after->row[thread] =
        static_cast<std::int64_t>(scratch.before[thread]) + workspace.block_row[thread][block];
  if (thread != 0) return;
  job.after->scanned = job.done + job.count;
  workspace.number = own_block.number;
}

#endif

}  // namespace foldline::cuda
