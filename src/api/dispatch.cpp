#include "foldline/device.hpp"

#include "api/dispatch.hpp"

namespace foldline {

std::string name_of(const Device& device) {
  return device.kind == Device::Kind::cpu ? "cpu" : "cuda:" + std::to_string(device.index);
}

void require_device(const Device& device) {
  if (device.kind == Device::Kind::cuda) cuda::require_device(device.index);
}

void reduce(const Reduction& reduction, const Plan& plan, const Context& context, Moments& moments) {
  if (plan.device.kind == Device::Kind::cuda)
    cuda::reduce(reduction, plan, context.execution.stream, moments);
  else
    cpu::reduce(reduction, plan, moments);
}

void reduce_axis(const AxisReduction& reduction, const AxisPlan& plan, const Context& context,
                 RoundTo round) {
  if (plan.all.device.kind == Device::Kind::cuda)
    cuda::reduce_axis(reduction, plan.all, context.execution.stream, round);
  else
    cpu::reduce_axis(reduction, plan, round);
}

void matrix_product(const MatrixProduct& product, const Plan& plan, const Context& context) {
  if (plan.device.kind == Device::Kind::cuda)
    cuda::matrix_product(product, plan, context.execution.stream);
  else
    cpu::matrix_product(product, plan);
}

std::int64_t scan(const Scan& scan, const Plan& plan, const Context& context, ScanState& state) {
  return plan.device.kind == Device::Kind::cuda ? cuda::scan(scan, plan, context.execution.stream, state)
                                                : cpu::scan(scan, plan, state);
}

}  // namespace foldline
