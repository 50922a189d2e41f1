// A number from data that is spread over ranks.
#pragma once

#include "cuda/reduce/round_result.hpp"
#include "foldline/vector_view.hpp"
#include "nccl/mailbox.hpp"

namespace foldline::nccl {

/// Rounds the sum of all ranks' exact sums; in stream order.
struct SpreadTask {
  cuda::ResultTask result;        // `count` is this rank's
  const cuda::KernelResult* own;  // this rank's sums; unused if it has no elements
  std::int64_t* words;            // spread_words of them, and behind these two keys
  int sums, sum[cuda::max_sums];  // those that the operation needs
  bool has_extrema;
};

/// Integers that the sum over ranks is taken of.
int words_of(const SpreadTask& task);
/// By NCCL: lays out the words, and rounds the result after their sums and the maxima of the keys were taken.
void launch_pack(const SpreadTask& task, cudaStream_t stream);
void launch_round(const SpreadTask& task, cudaStream_t stream);
/// Over peers' memory all of it.
void launch_spread_over_peers(const SpreadTask& task, PeerTask peers, cudaStream_t stream);
void load_spread_kernels();

}  // namespace foldline::nccl
