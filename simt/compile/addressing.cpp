#include "compile/addressing.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace simt::ir {
namespace {

/// The names that a line mentions, without its own.
std::vector<std::string> names_in(std::string_view line) {
  std::vector<std::string> names;
  const std::string_view own = defined_name(line);
  for (std::size_t at = line.find('%'); at != line.npos; at = line.find('%', at + 1)) {
    const std::size_t end = line.find_first_of(" ,)]\n", at);
    const std::string_view name = line.substr(at, end == line.npos ? end : end - at);
    if (name != own) names.emplace_back(name);
  }
  return names;
}

bool is_callback(std::string_view line) { return line.find("@__sanitizer_cov_") != line.npos; }

/// What may be a part of finding an address or of counting.
bool may_be_addressing(std::string_view what) {
  constexpr std::array integers = {"phi",   "add",  "sub",           "mul",  "shl",    "and",
                                   "or",    "xor",  "lshr",          "ashr", "sext",   "zext",
                                   "trunc", "icmp", "getelementptr", "br",   "select", "freeze"};
  return std::ranges::find(integers, what) != integers.end();
}

/// What uses an address or a condition, whatever it is.
bool takes_an_address(std::string_view line, std::string_view name) {
  const std::string pointer = "ptr " + std::string(name);
  const std::size_t at = line.find(pointer);
  if (at == line.npos) return false;
  const char behind = at + pointer.size() < line.size() ? line[at + pointer.size()] : ' ';
  return behind == ',' || behind == ' ' || behind == ')';
}

bool branches_to_itself(const Module& module, const Block& block) {
  for (std::size_t i = block.begin; i < block.end; ++i)
    if (operation(module.lines[i]) == "br" &&
        (module.lines[i] + ",").find("label %" + block.label + ",") != std::string::npos)
      return !block.label.empty();
  return false;
}

}  // namespace

std::set<std::size_t> addressing_lines(const Module& module, const Function& function, const Block& block) {
  if (!branches_to_itself(module, block)) return {};
  std::map<std::string, std::size_t> defined;
  std::set<std::size_t> lines;
  for (std::size_t i = block.begin; i < block.end; ++i) {
    if (!may_be_addressing(operation(module.lines[i]))) continue;
    lines.insert(i);
    defined[std::string(defined_name(module.lines[i]))] = i;
  }
  defined.erase("");
  // Out with all that something else depends on, and with what that depends on.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = function.define; i < function.end; ++i) {
      const std::string& line = module.lines[i];
      if (lines.contains(i) || is_callback(line)) continue;
      for (const std::string& name : names_in(line)) {
        const auto at = defined.find(name);
        if (at == defined.end() || !lines.contains(at->second) || takes_an_address(line, name)) continue;
        lines.erase(at->second);
        changed = true;
      }
    }
  }
  return lines;
}

}  // namespace simt::ir
