// What the lanes of a warp do together. The shim has the same numbers.
#pragma once

namespace simt {

enum WarpFunction {
  shuffle,
  shuffle_up,
  shuffle_down,
  shuffle_xor,
  ballot,
  synchronise,
  active_mask,
  match_any,
  match_all,
  matrix_multiply
};

}  // namespace simt
