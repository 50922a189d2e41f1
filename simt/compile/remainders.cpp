#include "compile/remainders.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace simt::ir {
namespace {

int number_after(std::string_view line, std::string_view before) {
  const std::size_t at = line.find(before);
  int number = 0;
  if (at != line.npos) std::from_chars(line.data() + at + before.size(), line.data() + line.size(), number);
  return number;
}

/// The place of == or != behind a remainder, in the same parentheses; npos if there is none.
std::size_t comparison_behind(std::string_view line, std::size_t at) {
  int depth = 0;
  for (++at; at + 1 < line.size(); ++at) {
    if (line[at] == '(') ++depth;
    if (line[at] == ')' && --depth < 0) break;
    if (depth != 0) continue;
    const std::string_view two = line.substr(at, 2);
    if (two == "==" || two == "!=") return at;
    if (two == "&&" || two == "||" || line[at] == ';') break;
  }
  return line.npos;
}

}  // namespace

Positions remainders_in(std::string_view source) {
  Positions places;
  int number = 1;
  for (std::size_t begin = 0; begin < source.size();) {
    const std::size_t end = std::min(source.find('\n', begin), source.size());
    const std::string_view line = source.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with("# ")) {
      number = number_after(line, "# ");
      continue;
    }
    for (std::size_t at = line.find('%'); at != line.npos; at = line.find('%', at + 1)) {
      places.emplace(number, static_cast<int>(at) + 1);
      if (const std::size_t behind = comparison_behind(line, at); behind != line.npos)
        places.emplace(number, static_cast<int>(behind) + 1);
    }
    ++number;
  }
  return places;
}

std::set<std::string> locations_at(const Module& module, const Positions& places) {
  std::set<std::string> found;
  if (places.empty()) return found;
  for (const std::string& line : module.lines) {
    const std::size_t location = line.find("!DILocation(");
    if (location == line.npos || !line.starts_with('!')) continue;
    const std::string_view text = std::string_view(line).substr(location);
    if (places.contains({number_after(text, "line: "), number_after(text, "column: ")}))
      found.insert(line.substr(0, line.find(' ')));
  }
  return found;
}

}  // namespace simt::ir
