// The compiler's intermediate code as text: its lines, functions and basic blocks. Text, because every clang
// from 16 on reads and writes it, and no library of the compiler is needed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace simt::ir {

/// A basic block: lines [begin, end) of the module, without its label.
struct Block {
  std::string label;  ///< without % or colon; empty for the entry
  std::size_t begin = 0, end = 0;
  std::optional<std::size_t> guard;  ///< which of the function's guards its callback has
};

struct Function {
  std::string name;                 ///< with @
  std::size_t define = 0, end = 0;  ///< the lines of `define` and of the closing brace
  std::string guards;  ///< the variable with the guards of its blocks; empty if it is not instrumented
  std::vector<Block> blocks;
};

struct Module {
  std::vector<std::string> lines;
  std::vector<Function> functions;
  std::unordered_map<std::string, std::string> types;  ///< of named structures: what follows "= type"
};

Module parse(std::string_view text);
/// Lines with a leading '\n' of their own count as several; empty marks of removed lines are left out.
std::string text_of(const Module& module);

/// The line without leading blanks.
std::string_view trimmed(std::string_view line);
/// What stands between `before` and the next of the characters `until`; empty if `before` is not there.
std::string_view between(std::string_view line, std::string_view before, std::string_view until);
/// The suffix ", !dbg !7", or nothing.
std::string_view debug_location(std::string_view line);
/// The name that a line defines ("%7" of "%7 = load ..."), or nothing.
std::string_view defined_name(std::string_view line);
/// What is done in a line: "load", "call", ...
std::string_view operation(std::string_view line);

struct Layout {
  std::size_t bytes = 0, alignment = 1;
};
/// Size and alignment of a type such as "[4 x %struct.int4]"; nothing for what is not known.
std::optional<Layout> layout_of(const Module& module, std::string_view type);
/// Where element `index` of a type begins, and its type.
struct Element {
  std::string type;
  std::size_t offset = 0, stride = 0;  ///< stride: 0 for the members of a structure
};
std::optional<Element> element_of(const Module& module, std::string_view type, std::size_t index);
/// Cuts "a, [2 x b], {c, d}" at its outer commas.
std::vector<std::string_view> split(std::string_view list);

}  // namespace simt::ir
