// From the counters of a launch to its report.
#pragma once

#include <simt/report.hpp>

#include "runtime/machine.hpp"

namespace simt {

LaunchReport summary(const Machine& machine);

}  // namespace simt
