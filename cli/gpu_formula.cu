// The kernels of cuda/quadrature.cuh, compiled for a formula while the command runs.
#include <cuda_runtime.h>

#include <string>

#include "cuda_source.hpp"
#include "foldline/cuda/quadrature.cuh"
#include "gpu_formula.hpp"
#include "kernel_compiler.hpp"

namespace foldline::cli {
namespace {

using namespace detail::device;

/// Stands for the integrand type of the kernels' parameter. It is empty: the formula is compiled into the
/// kernels.
struct Formula {};

// The kernels call the formula in some twenty places. Inlined everywhere, a formula with all functions takes
// half a minute to compile; as a function that is not inlined, 5 seconds.
constexpr std::size_t most_inlined_nodes = 32;

std::string source_of(const Expression& formula) {
  const std::string attributes =
      formula.nodes().size() > most_inlined_nodes ? "__noinline__ __device__" : "__device__";
  return "#include \"foldline/detail/device_samples.cuh\"\nstruct Formula {\n" + attributes +
         " double operator()(double x) const {\n" + cuda_source(formula) + "}\n};\n";
}

std::string architecture_of(const Device& device) {
  const auto attribute = [&](cudaDeviceAttr what) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, what, device.index), "asking for a device's properties");
    return std::to_string(value);
  };
  return "sm_" + attribute(cudaDevAttrComputeCapabilityMajor) + attribute(cudaDevAttrComputeCapabilityMinor);
}

DeviceCode compiled(const Expression& formula, const Device& device) {
  const std::string space = "foldline::detail::device::";
  return compile_kernels(source_of(formula),
                         {space + "add_tiles<false, Formula>", space + "add_tiles<true, Formula>",
                          space + "sample_marked<false, Formula>", space + "sample_marked<true, Formula>",
                          space + "sample_ends<Formula>"},
                         architecture_of(device));
}

class LoadedCode {
 public:
  explicit LoadedCode(const std::string& code) {
    check(cudaLibraryLoadData(&library_, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
          "loading the formula's kernels");
  }
  ~LoadedCode() { cudaLibraryUnload(library_); }
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;

  /// Sets `kernel` to a handle that the runtime accepts like the address of a kernel in the program.
  template <class... Parameters>
  void find(const std::string& name, void (*&kernel)(Parameters...)) const {
    cudaKernel_t found = nullptr;
    check(cudaLibraryGetKernel(&found, library_, name.c_str()), "finding a kernel of the formula");
    kernel = reinterpret_cast<void (*)(Parameters...)>(found);
  }

 private:
  cudaLibrary_t library_ = nullptr;
};

}  // namespace

struct GpuFormula::State {
  State(const DeviceCode& code, const Device& on) : device(on), library(code.code) {
    library.find(code.names[0], kernels.add_tiles);
    library.find(code.names[1], kernels.add_weighted_tiles);
    library.find(code.names[2], kernels.sample_marked);
    library.find(code.names[3], kernels.sample_marked_weighted);
    library.find(code.names[4], kernels.sample_ends);
  }
  Device device;
  LoadedCode library;
  Kernels<Formula> kernels{};
};

GpuFormula::GpuFormula(const Expression& formula, const Device& device) {
  require_gpu(device);
  state_ = std::make_unique<State>(compiled(formula, device), device);
}
GpuFormula::~GpuFormula() = default;

Integral GpuFormula::integrate(double a, double b, Rule rule, std::int64_t n) const {
  return apply_rule(Formula(), state_->kernels, a, b, rule, n, {.execution = {.device = state_->device}});
}

}  // namespace foldline::cli
