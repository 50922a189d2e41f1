#include "runner/attempt_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "runner/scratch.hpp"

namespace foldline::ladder {
namespace {

std::string fits_function(std::size_t variant) { return fmt::format("foldline_solve_fits_{}", variant); }
std::string solve_function(std::size_t variant) { return fmt::format("foldline_solve_{}", variant); }

/// "int* a0, int a1" and "a0, a1" of "int*, int".
struct ParameterList {
  std::string declared, named;
};
ParameterList listed(const std::string& types) {
  ParameterList list;
  std::size_t number = 0;
  for (std::size_t at = 0; at < types.size();) {
    const std::size_t end = std::min(types.find(", ", at), types.size());
    const std::string separator = number == 0 ? "" : ", ";
    list.declared += fmt::format("{}{} a{}", separator, types.substr(at, end - at), number);
    list.named += fmt::format("{}a{}", separator, number);
    at = end + 2;
    ++number;
  }
  return list;
}

}  // namespace

std::string calling_functions(const std::vector<Attempt::Variant>& variants) {
  std::string text =
      "\n# 1 \"solve\"\n"
      "namespace foldline_solve {\n"
      "template <class... A> constexpr bool fits = requires(A... a) { solve(a...); };\n"
      "template <class... A> void call(A... a) { if constexpr (fits<A...>) solve(a...); }\n"
      "}\n";
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const ParameterList list = listed(variants[i].parameters);
    text += fmt::format(
        "extern \"C\" bool {}() {{ return foldline_solve::fits<{}>; }}\n"
        "extern \"C\" void {}({}) {{ foldline_solve::call({}); }}\n",
        fits_function(i), variants[i].parameters, solve_function(i), list.declared, list.named);
  }
  // Of the CUDA runtime that the file is linked with.
  return text +
         "extern \"C\" const char* foldline_solve_error() {\n"
         "  const cudaError_t error = cudaGetLastError();\n"
         "  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);\n"
         "}\n";
}

LoadedSolution solution_in(const std::filesystem::path& program,
                           const std::vector<Attempt::Variant>& variants, const AfterLoading& after) {
  const auto library = std::make_shared<std::unique_ptr<Library>>();
  const auto find = [=](const std::string& parameters) -> void* {
    if (*library == nullptr) {
      *library = std::make_unique<Library>(program);
      after.loaded();
    }
    for (std::size_t i = 0; i < variants.size(); ++i) {
      if (variants[i].parameters != parameters) continue;
      const auto fits = reinterpret_cast<bool (*)()>((*library)->find(fits_function(i).c_str()));
      return fits() ? (*library)->find(solve_function(i).c_str()) : nullptr;
    }
    return nullptr;
  };
  const auto refuse_errors = [=] {
    const auto error = reinterpret_cast<const char* (*)()>((*library)->find("foldline_solve_error"))();
    if (error != nullptr)
      throw std::runtime_error(std::string("solve() leaves an error: ") + error + after.why());
  };
  return {find, refuse_errors};
}

}  // namespace foldline::ladder
