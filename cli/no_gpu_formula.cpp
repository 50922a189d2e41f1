// In place of gpu_formula.cu where the command is built without CUDA.
#include "foldline/error.hpp"
#include "gpu_formula.hpp"

namespace foldline::cli {

struct GpuFormula::State {};

GpuFormula::GpuFormula(const Expression&, const Device& device) {
  throw InvalidArgument("there is no device " + name_of(device) + ": " + why_no_gpu());
}
GpuFormula::~GpuFormula() = default;
Integral GpuFormula::integrate(double, double, Rule, std::int64_t) const { return {}; }

}  // namespace foldline::cli
