// The rungs in order. A new rung needs a file, a declaration and a line here.
#include "reduce/rungs.hpp"

namespace foldline::ladder::reduce {

void recursive_in_place(Bench&);
void recursive_pairwise(Bench&);
void neighboured_pairs(Bench&);
void neighboured_pairs_packed(Bench&);
void interleaved_pairs(Bench&);
void unrolled_by_2(Bench&);
void unrolled_by_4(Bench&);
void unrolled_by_8(Bench&);
void unrolled_last_warp(Bench&);
void completely_unrolled(Bench&);
void template_block_size(Bench&);
void warp_shuffles(Bench&);
void grid_stride_16_byte_loads(Bench&);
void last_block_finishes(Bench&);
void library(Bench&);
void cub_sum(Bench&);
void plain_read(Bench&);
void attempt(Bench&);

const std::vector<Rung>& rungs() {
  static const std::vector<Rung> list = {
      {{"recursive-in-place-on-the-host", Kind::rung, "recursive_in_place.cpp", false}, recursive_in_place},
      {{"recursive-pairwise-on-the-host", Kind::rung, "recursive_pairwise.cpp", false}, recursive_pairwise},
      {{"neighboured-pairs", Kind::rung, "neighboured_pairs.cu"}, neighboured_pairs},
      {{"neighboured-pairs-packed", Kind::rung, "neighboured_pairs_packed.cu"}, neighboured_pairs_packed},
      {{"interleaved-pairs", Kind::rung, "interleaved_pairs.cu"}, interleaved_pairs},
      {{"unrolled-by-2", Kind::rung, "unrolled_blocks.cu"}, unrolled_by_2},
      {{"unrolled-by-4", Kind::rung, "unrolled_blocks.cu"}, unrolled_by_4},
      {{"unrolled-by-8", Kind::rung, "unrolled_blocks.cu"}, unrolled_by_8},
      {{"unrolled-last-warp", Kind::rung, "unrolled_last_warp.cu"}, unrolled_last_warp},
      {{"completely-unrolled", Kind::rung, "completely_unrolled.cu"}, completely_unrolled},
      {{"template-block-size", Kind::rung, "template_block_size.cu"}, template_block_size},
      {{"warp-shuffles", Kind::rung, "warp_shuffles.cu"}, warp_shuffles},
      {{"grid-stride-16-byte-loads", Kind::rung, "grid_stride_16_byte_loads.cu"}, grid_stride_16_byte_loads},
      {{"last-block-finishes", Kind::rung, "last_block_finishes.cu"}, last_block_finishes},
      {{"foldline-sum", Kind::library, "library.cpp"}, library},
      {{"cub-sum", Kind::reference, "cub_sum.cu"}, cub_sum},
      {{"plain-read", Kind::roof, "plain_read.cpp"}, plain_read},
      {{"attempt", Kind::attempt, "attempt.cpp"}, attempt},
  };
  return list;
}

}  // namespace foldline::ladder::reduce
