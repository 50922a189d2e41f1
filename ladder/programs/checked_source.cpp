#include "programs/checked_source.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace foldline::ladder {
namespace {

bool is_named(const simt::DeclaredKernel& kernel, const std::string& name) {
  const std::string plain = name.substr(0, name.find('<'));
  return kernel.name == plain || kernel.name.ends_with("::" + plain);
}

/// "<float, 256>"; what has a default is left to it.
std::string template_arguments(const simt::DeclaredKernel& kernel, unsigned block) {
  std::string arguments;
  for (const simt::KernelTemplateParameter& parameter : kernel.template_parameters) {
    if (parameter.has_default || parameter.is_pack) break;
    const std::string value = parameter.kind == "class"  ? "float"
                              : parameter.kind == "bool" ? "true"
                                                         : std::to_string(block);
    arguments += (arguments.empty() ? "" : ", ") + value;
  }
  return kernel.template_parameters.empty() ? "" : "<" + arguments + ">";
}

}  // namespace

std::vector<simt::DeclaredKernel> kernels_to_check(const simt::Translation& translation,
                                                   const std::string& file, const std::string& name) {
  std::vector<simt::DeclaredKernel> kernels;
  std::string names;
  for (const simt::DeclaredKernel& kernel : translation.kernels) {
    if (!kernel.is_defined || kernel.in_system || kernel.file != file) continue;
    names += (names.empty() ? "" : ", ") + kernel.name;
    if (name.empty() || is_named(kernel, name)) kernels.push_back(kernel);
  }
  if (names.empty()) throw std::runtime_error(file + " defines no kernel: no function is marked __global__");
  if (kernels.empty())
    throw std::runtime_error(fmt::format("{} has no kernel '{}'; it has {}", file, name, names));
  return kernels;
}

std::string checked_function(std::size_t i) { return "simt_check_" + std::to_string(i); }

std::string checking_functions(const std::vector<simt::DeclaredKernel>& kernels, unsigned block,
                               const std::string& name) {
  std::string text = "\n";
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::size_t angle = name.find('<');
    const std::string arguments =
        angle == name.npos ? template_arguments(kernels[i], block) : name.substr(angle);
    text += fmt::format(
        "# {} \"{}\"\nextern \"C\" void {}(const ::simt::CheckedCall& call) {{ "
        "::simt::call_checked(::{}{}, call); }}\n",
        kernels[i].line, kernels[i].file, checked_function(i), kernels[i].name, arguments);
  }
  return text;
}

}  // namespace foldline::ladder
