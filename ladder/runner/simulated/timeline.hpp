// A picture of what warps did: their lanes against time.
#pragma once

#include <cstdio>
#include <simt/report.hpp>

namespace foldline::ladder {

/// Of the first warps of a launch's first block, as far as their steps were kept. In colours if it goes to a
/// terminal. Says what is left out.
void print_timelines(std::FILE* to, const simt::LaunchReport& launch);

}  // namespace foldline::ladder
