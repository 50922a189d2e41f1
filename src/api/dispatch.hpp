// Calls the backend of a plan's device.
#pragma once

#include <cstdint>

#include "contract/backend.hpp"

namespace foldline {

/// Returns the plan if its device exists, otherwise throws InvalidArgument. (plan() itself asks no driver.)
inline Plan on_present_device(const Plan& plan) {
  if (plan.device.kind != Device::Kind::cpu) require_device(plan.device);
  return plan;
}

/// Adds the terms of the reduction to `moments`, on the plan's device.
void reduce(const Reduction& reduction, const Plan& plan, const Context& context, Moments& moments);

/// Reduces every vector along the axis, on the plan's device.
void reduce_axis(const AxisReduction& reduction, const AxisPlan& plan, const Context& context, RoundTo round);

/// Writes C, on the plan's device.
void matrix_product(const MatrixProduct& product, const Plan& plan, const Context& context);

/// Scans x as cpu::scan does, on the plan's device.
std::int64_t scan(const Scan& scan, const Plan& plan, const Context& context, ScanState& state);

}  // namespace foldline
