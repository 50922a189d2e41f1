#include "compile/instrument.hpp"

namespace simt::ir {
namespace {

/// "%x" of "ptr noundef %x"; a structure's pieces, "%p.coerce0", have the structure's name.
std::string_view name_of(std::string_view parameter) {
  const std::size_t percent = parameter.rfind(" %");
  if (percent == parameter.npos) return {};
  const std::string_view name = parameter.substr(percent + 2);
  return name.substr(0, name.find(".coerce"));
}

/// The names in order, each with a comma behind it.
std::string names_of(std::string_view define) {
  const std::size_t open = define.find('(', define.find('@'));
  int depth = 0;
  std::size_t close = open;
  for (; close < define.size(); ++close) {
    depth += define[close] == '(';
    depth -= define[close] == ')';
    if (depth == 0) break;
  }
  std::string names;
  std::string_view last;
  for (const std::string_view parameter : split(define.substr(open + 1, close - open - 1))) {
    const std::string_view name = name_of(parameter);
    if (!name.empty() && name != last) names += std::string(name) + ",";
    last = name;
  }
  return names;
}

}  // namespace

void keep_parameter_names(Module& module) {
  std::string tables;
  for (const Function& function : module.functions) {
    const std::string& define = module.lines[function.define];
    const std::string names = names_of(define);
    // Kernels return nothing and are not inlined, so few others are in the table.
    if (function.guards.empty() || names.empty() || define.find(" void @") == define.npos) continue;
    const std::string number = std::to_string(function.define);
    tables += "@simt.parameters." + number + " = private unnamed_addr constant [" +
              std::to_string(names.size() + 1) + " x i8] c\"" + names +
              "\\00\", align 1\n@simt.parameters.of." + number +
              " = private constant { ptr, i64, ptr } { ptr " + function.name +
              ", i64 0, ptr @simt.parameters." + number + " }, section \"simt_parameters\"";
    if (const std::string_view comdat = between(define, " comdat($", ")"); !comdat.empty())
      tables += ", comdat($" + std::string(comdat) + ")";
    else if (define.find(" comdat") != define.npos)
      tables += ", comdat($" + function.name.substr(1) + ")";
    tables += ", align 8\n";
  }
  module.lines.back() += "\n" + tables;
}

}  // namespace simt::ir
