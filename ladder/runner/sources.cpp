#include "runner/sources.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace foldline::ladder {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

const Source& source_of(std::string_view problem, std::string_view file) {
  const auto found =
      std::ranges::find_if(sources, [&](const Source& s) { return s.problem == problem && s.file == file; });
  if (found == sources.end())
    throw std::logic_error("no source " + std::string(problem) + "/" + std::string(file));
  return *found;
}

std::string idea_of(const Source& source) {
  std::string idea;
  for (const std::string_view line : lines_of(source.text)) {
    if (!line.starts_with("// ") || line.starts_with("// Fixes: ")) break;
    idea.append(idea.empty() ? 0 : 1, ' ').append(line.substr(3));
  }
  return idea;
}

/// By the longest common subsequence of lines.
std::string diff(std::string_view first, std::string_view second) {
  const std::vector<std::string_view> a = lines_of(first), b = lines_of(second);
  // common[i][j]: lines that a from i on and b from j on have in common
  std::vector<std::vector<int>> common(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
  std::string text;
  const auto add = [&text](char mark, std::string_view line) {
    (text += mark).append(" ").append(line).append("\n");
  };
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      add(' ', a[i++]);
      ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      add('-', a[i++]);
    } else {
      add('+', b[j++]);
    }
  }
  return text;
}

}  // namespace foldline::ladder
