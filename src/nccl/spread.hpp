// A number from data that is spread over ranks, or the sum before a rank's part of it.
#pragma once

#include "arithmetic/host_device.hpp"
#include "cuda/reduce/round_result.hpp"
#include "cuda/scan/scan_carry.hpp"
#include "foldline/vector_view.hpp"
#include "nccl/mailbox.hpp"

namespace foldline::nccl {

/// `agreement` only compares what the ranks call.
enum class SpreadKind : std::uint8_t { number, statistics, inclusive_scan, exclusive_scan, agreement };

FOLDLINE_HOST_DEVICE constexpr bool is_scan(SpreadKind kind) {
  return kind == SpreadKind::inclusive_scan || kind == SpreadKind::exclusive_scan;
}

/// Rounds the sum of all ranks' exact sums, or stores that of the lower ranks; in stream order.
struct SpreadTask {
  SpreadKind kind;
  cuda::ResultTask result;        // `count` is this rank's
  const cuda::KernelResult* own;  // this rank's sums; unused if it has no elements
  int sums, sum[cuda::max_sums];  // those that the operation needs
  int rank, size;
  // What all ranks must agree on: kind, operation and types in 24 bits; ddof, or the bits of a scan's init.
  std::uint64_t call, argument;
  std::uint32_t* failure;  // in memory of the host
  // Of a scan, the carry is set to the sum of `before` and all elements of lower ranks.
  cuda::ScanCarry* carry;
  cuda::ScanCarry before;
  // By NCCL: this rank's record, and behind it those of all.
  std::int64_t* record;
};

/// A record has a rank's words, and behind them `call` and `argument`.
inline constexpr int record_words = spread_words + 2;

/// By NCCL: lays out the record, and ends the task after all were gathered.
void launch_pack(const SpreadTask& task, cudaStream_t stream);
void launch_end(const SpreadTask& task, cudaStream_t stream);
/// Over peers' memory all of it.
void launch_spread_over_peers(const SpreadTask& task, PeerTask peers, cudaStream_t stream);
void load_spread_kernels();

}  // namespace foldline::nccl
