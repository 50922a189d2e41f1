// The table of what was measured on a GPU.
#pragma once

#include "runner/report.hpp"

namespace foldline::ladder {

void print_times(const Report& report);

}  // namespace foldline::ladder
