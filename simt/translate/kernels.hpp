// The kernels that a source declares.
#pragma once

#include <string>
#include <vector>

#include "translate/tokens.hpp"

namespace simt {

struct KernelParameter {
  std::string type, name;  ///< name: empty if it has none
};

struct KernelTemplateParameter {
  std::string kind;  ///< "class" of a type; else the type of a value: "int"
  bool has_default = false;
  bool is_pack = false;
};

struct DeclaredKernel {
  std::string name;  ///< with its namespaces, without unnamed ones
  std::string file;
  int line = 0;
  bool is_defined = false;
  bool in_system = false;
  std::vector<KernelTemplateParameter> template_parameters;
  std::vector<KernelParameter> parameters;
};

/// What stands in front of a kernel: __global__, or the word that the simulator's headers make of it.
constexpr std::string_view kernel_word = "__global__", marked_kernel_word = "__simt_kernel__";

/// In the order of the source.
std::vector<DeclaredKernel> kernels_of(const TokenList& list);

/// The tokens [begin, end) as they are in the source, but with one blank for what stood between them.
std::string text_of(const std::vector<Token>& tokens, std::size_t begin, std::size_t end);

}  // namespace simt
