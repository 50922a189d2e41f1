#include "compile/ir_module.hpp"

#include <cctype>
#include <charconv>

namespace simt::ir {
namespace {

bool is_label(std::string_view line) {
  if (line.empty() || line[0] == ' ' || line[0] == '}' || line[0] == ';') return false;
  const std::size_t colon = line.find(':');
  return colon != line.npos && line.substr(0, colon).find_first_of(" (@!") == line.npos;
}

/// The guard of a callback: "ptr @g" is the first, "... @g to i64), i64 8) ..." the third.
void note_guard(Function& function, Block& block, std::string_view line) {
  const std::string_view name = between(line, "@__sancov_gen_", " ),");
  if (name.data() == nullptr) return;
  const std::string guards = "@__sancov_gen_" + std::string(name);
  std::size_t offset = 0;
  const std::string_view number = between(line, "to i64), i64 ", ")");
  if (!number.empty()) {
    std::from_chars(number.data(), number.data() + number.size(), offset);
  } else if (const std::string_view constant = between(line, ", i64 ", ")"); !constant.empty()) {
    std::size_t count = 0;
    std::from_chars(constant.data(), constant.data() + constant.size(), count);
    const std::string_view type = between(line, "getelementptr (", ",");
    offset = type == "i8" ? count : 4 * count;
    if (const std::size_t last = line.rfind(", i64 "); line.find(", i64 ") != last) {
      std::from_chars(line.data() + last + 6, line.data() + line.size(), count);
      offset = 4 * count;
    }
  }
  function.guards = guards;
  block.guard = offset / 4;
}

void parse_function(Module& module, std::size_t& at) {
  Function function;
  function.define = at;
  function.name = "@" + std::string(between(module.lines[at], "@", "("));
  Block block;
  block.begin = ++at;
  const auto close = [&](std::size_t end) {
    block.end = end;
    if (end > block.begin) function.blocks.push_back(block);
  };
  for (; at < module.lines.size() && module.lines[at] != "}"; ++at) {
    const std::string& line = module.lines[at];
    if (is_label(line)) {
      close(at);
      block = {};
      block.label = line.substr(0, line.find(':'));
      block.begin = at + 1;
    } else if (!block.guard && line.find("@__sanitizer_cov_trace_pc_guard(") != line.npos) {
      note_guard(function, block, line.substr(line.find("guard(") + 6));
    }
  }
  close(at);
  function.end = at;
  module.functions.push_back(std::move(function));
}

}  // namespace

Module parse(std::string_view text) {
  Module module;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    module.lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  for (std::size_t at = 0; at < module.lines.size(); ++at) {
    const std::string& line = module.lines[at];
    if (line.starts_with("define "))
      parse_function(module, at);
    else if (const std::size_t equals = line.find(" = type "); line.starts_with("%") && equals != line.npos)
      module.types[line.substr(0, equals)] = line.substr(equals + 8);
  }
  return module;
}

std::string text_of(const Module& module) {
  std::string text;
  for (const std::string& line : module.lines) {
    if (line == "\n") continue;
    text += line;
    text += '\n';
  }
  return text;
}

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first == line.npos ? std::string_view{} : line.substr(first);
}

std::string_view between(std::string_view line, std::string_view before, std::string_view until) {
  const std::size_t at = line.find(before);
  if (at == line.npos) return {};
  line.remove_prefix(at + before.size());
  return line.substr(0, line.find_first_of(until));
}

std::string_view debug_location(std::string_view line) {
  const std::size_t at = line.find(", !dbg !");
  if (at == line.npos) return {};
  return line.substr(at, line.find_first_not_of("0123456789", at + 8) - at);
}

std::string_view defined_name(std::string_view line) {
  line = trimmed(line);
  const std::size_t equals = line.find(" = ");
  return line.starts_with("%") && equals != line.npos ? line.substr(0, equals) : std::string_view{};
}

std::string_view operation(std::string_view line) {
  line = trimmed(line);
  if (const std::string_view name = defined_name(line); !name.empty()) line.remove_prefix(name.size() + 3);
  for (const std::string_view word : {"tail ", "musttail ", "notail "})
    if (line.starts_with(word)) line.remove_prefix(word.size());
  return line.substr(0, line.find_first_of(" ,"));
}

std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i == list.size() || (list[i] == ',' && depth == 0)) {
      if (const std::string_view part = trimmed(list.substr(begin, i - begin)); !part.empty()) {
        parts.push_back(part.substr(0, part.find_last_not_of(' ') + 1));
      }
      begin = i + 1;
    } else if (std::string_view("[{(<").find(list[i]) != std::string_view::npos) {
      ++depth;
    } else if (std::string_view("]})>").find(list[i]) != std::string_view::npos) {
      --depth;
    }
  }
  return parts;
}

}  // namespace simt::ir
