// What the simulator counted, as the ladder reports it.
#pragma once

#include <simt/devices.hpp>
#include <simt/report.hpp>
#include <vector>

#include "runner/outcome.hpp"

namespace foldline::ladder {

Counts counts_of(const simt::Counts& counts, const simt::DeviceModel& device);

/// The lines of all launches; each has all their warps.
std::vector<LineCounts> lines_of(const std::vector<simt::LaunchReport>& launches,
                                 const simt::DeviceModel& device);

/// Describes the kernel with the largest grid in the last run.
void describe_launches(Outcome& outcome);

}  // namespace foldline::ladder
