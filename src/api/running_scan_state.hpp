// The state of a RunningScan.
#pragma once

#include "contract/scan_state.hpp"
#include "foldline/scan.hpp"

namespace foldline {

struct RunningScan::State {
  ScanKind kind;
  ScanState sums;
};

}  // namespace foldline
