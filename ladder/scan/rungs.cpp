// The rungs in order. A new rung needs a file, a declaration and a line here.
#include "scan/rungs.hpp"

namespace foldline::ladder::scan {

void serial(Bench&);
void one_warp(Bench&);
void one_block(Bench&);
void chain_of_blocks(Bench&);
void chain_from_the_last_block(Bench&);
void chained_counter(Bench&);
void hillis_steele_in_shared_memory(Bench&);
void work_efficient_sweeps(Bench&);
void reduce_then_scan(Bench&);
void decoupled_look_back(Bench&);
void library(Bench&);
void cub_scan(Bench&);
void plain_copy(Bench&);
void attempt(Bench&);

const std::vector<Rung>& rungs() {
  static const std::vector<Rung> list = {
      {{"serial-on-the-host", Kind::rung, "serial.cpp", false}, serial},
      {{"one-warp", Kind::rung, "one_warp.cu"}, one_warp},
      {{"one-block", Kind::rung, "one_block.cu"}, one_block},
      {{"chain-of-blocks", Kind::experiment, "chain_of_blocks.cu"}, chain_of_blocks},
      {{"chain-from-the-last-block", Kind::experiment, "chain_of_blocks.cu", true, 5},
       chain_from_the_last_block},
      {{"chained-counter", Kind::rung, "chained_counter.cu"}, chained_counter},
      {{"hillis-steele-in-shared-memory", Kind::rung, "hillis_steele_in_shared_memory.cu"},
       hillis_steele_in_shared_memory},
      {{"work-efficient-sweeps", Kind::rung, "work_efficient_sweeps.cu"}, work_efficient_sweeps},
      {{"reduce-then-scan", Kind::rung, "reduce_then_scan.cu"}, reduce_then_scan},
      {{"decoupled-look-back", Kind::rung, "decoupled_look_back.cu"}, decoupled_look_back},
      {{"foldline-inclusive-scan", Kind::library, "library.cpp"}, library},
      {{"cub-inclusive-sum", Kind::reference, "cub_scan.cu"}, cub_scan},
      {{"plain-copy", Kind::roof, "plain_copy.cpp"}, plain_copy},
      {{"attempt", Kind::attempt, "attempt.cpp"}, attempt},
  };
  return list;
}

}  // namespace foldline::ladder::scan
