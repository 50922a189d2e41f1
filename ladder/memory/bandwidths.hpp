// What bandwidths.cu measures, in the order of its results.
#pragma once

namespace foldline::ladder::memory {

enum Source {
  from_registers,
  from_shared,
  from_constant,
  from_texture,
  from_local,
  from_l1,
  from_l2,
  from_memory,
  sources,
  clock_rate = sources,  ///< cycles per nanosecond
  multiprocessor_count,
  bandwidth_results
};

}  // namespace foldline::ladder::memory
