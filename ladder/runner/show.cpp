#include "runner/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <optional>
#include <regex>
#include <set>
#include <string_view>

#include "runner/sources.hpp"

namespace foldline::ladder {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find("//")); }

/// A definition, declaration or directive with the comment in front of it, or a comment by itself.
struct Item {
  std::string text;
  int first = 0;  ///< the number of its first line
  bool follows_blank_line = false;
};

/// Splits a source where braces are balanced. Namespaces, which are not indented, do not count.
std::vector<Item> items_of(std::string_view text) {
  std::vector<Item> items;
  Item item;
  int depth = 0;
  bool blank = false;
  const auto finish = [&] {
    if (!item.text.empty()) items.push_back(item);
    item = {};
  };
  int number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    if (line.empty() && depth == 0) finish();
    if (line.empty() && depth == 0) {
      blank = true;
      continue;
    }
    if (item.text.empty()) item.follows_blank_line = blank, item.first = number;
    blank = false;
    item.text.append(line).append("\n");
    const std::string_view code = without_comment(line);
    const bool of_namespace = line.starts_with("namespace ") || line.starts_with("}  // namespace");
    if (!of_namespace)
      depth += static_cast<int>(std::ranges::count(code, '{') - std::ranges::count(code, '}'));
    const std::size_t last = code.find_last_not_of(' ');
    const char end = last == std::string_view::npos ? ' ' : code[last];
    if (depth == 0 && (of_namespace || line.starts_with('#') || end == '}' || end == ';')) finish();
  }
  finish();
  return items;
}

std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view code = without_comment(line);
    for (std::size_t i = 0; i < code.size();) {
      std::size_t end = i;
      while (end < code.size() && is_word(code[end])) ++end;
      if (end > i) words.emplace(code.substr(i, end - i));
      i = std::max(end, i + 1);
    }
  }
  return words;
}

/// What an item defines for device code; empty for what is for the host alone.
std::string device_name(const std::string& text) {
  static const std::regex type(R"((?:^|\n)(?:struct|using) (\w+))"),
      constant(R"((?:^|\n)constexpr [\w:]+ (\w+))"), function(R"(__device__[^(=;]*?(\w+) ?\()"),
      variable(R"((?:__constant__|__device__)[^(;]*?(\w+)(?:\[[^;]*)?;)");
  std::smatch found;
  for (const std::regex* const pattern : {&type, &function, &variable, &constant})
    if (std::regex_search(text, found, *pattern)) return found[1];
  return "";
}

/// The source of that path; null for what is not here, such as a header of a library.
const Source* find_source(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return nullptr;
  const auto found = std::ranges::find_if(sources, [&](const Source& s) {
    return s.problem == path.substr(0, slash) && s.file == path.substr(slash + 1);
  });
  return found == sources.end() ? nullptr : &*found;
}

/// The name of the rung's function, as the list of rungs has it; empty if that cannot be seen.
std::string function_of(const Problem& problem, const RungInfo& rung) {
  const Source* const rungs = find_source(problem.name + "/rungs.cpp");
  if (rungs == nullptr) return "";
  const std::string_view list = rungs->text;
  std::size_t place = list.find("\"" + rung.name + "\"");
  if (place != std::string_view::npos) place = list.find('}', place);
  if (place == std::string_view::npos) return "";
  while (place < list.size() && !is_word(list[place])) ++place;
  std::size_t end = place;
  while (end < list.size() && is_word(list[end])) ++end;
  return std::string(list.substr(place, end - place));
}

/// The functions of the other rungs in the same file.
std::set<std::string> functions_of_others(const Problem& problem, const RungInfo& rung) {
  std::set<std::string> functions;
  for (const RungInfo& other : problem.rungs)
    if (other.file == rung.file && other.name != rung.name) functions.insert(function_of(problem, other));
  functions.erase(function_of(problem, rung));
  functions.erase("");
  return functions;
}

/// Whether an item is a rung's function or an instantiation of it.
bool is_function_of(const std::string& text, const std::set<std::string>& names) {
  static const std::regex definition(R"((?:^|\n)(?:template )?void (\w+)\()");
  std::smatch found;
  return std::regex_search(text, found, definition) && names.contains(found[1]);
}

void append(std::vector<SourceLine>& lines, const Item& item, bool after_blank_line) {
  if (after_blank_line && !lines.empty()) lines.push_back({0, ""});
  int number = item.first;
  for (const std::string_view line : lines_of(item.text)) lines.push_back({number++, std::string(line)});
}

Excerpt own_file(const Problem& problem, const RungInfo& rung) {
  const std::string_view whole = source_of(problem.name, rung.file).text;
  const std::set<std::string> others = functions_of_others(problem, rung);
  Excerpt own{problem.name + "/" + rung.file, {}};
  if (others.empty()) {
    append(own.lines, {std::string(whole), 1, false}, false);
    return own;
  }
  bool blank = false;  // in front of what was left out
  for (const Item& item : items_of(whole)) {
    blank |= item.follows_blank_line;
    if (is_function_of(item.text, others)) continue;
    append(own.lines, item, blank);
    blank = false;
  }
  return own;
}

/// All headers that a text includes, those that these include, too, each after what it includes.
void collect_headers(std::string_view text, std::vector<const Source*>& headers) {
  for (const std::string_view line : lines_of(text)) {
    if (!line.starts_with("#include \"")) continue;
    const Source* const found = find_source(line.substr(10, line.rfind('"') - 10));
    if (found == nullptr || std::ranges::find(headers, found) != headers.end()) continue;
    collect_headers(found->text, headers);
    headers.push_back(found);
  }
}

/// The parts of the headers that the words name, and that those parts name.
std::vector<Excerpt> parts_of(const std::vector<const Source*>& headers, std::set<std::string> words) {
  struct Part {
    const Source* source;
    Item item;
    std::string name;
    bool used = false;
  };
  std::deque<Part> parts;
  for (const Source* const source : headers) {
    if (source->text.find("__device__") == std::string_view::npos) continue;
    for (const Item& item : items_of(source->text))
      if (const std::string name = device_name(item.text); !name.empty())
        parts.push_back({source, item, name});
  }
  for (bool more = true; more;) {
    more = false;
    for (Part& part : parts) {
      if (part.used || !words.contains(part.name)) continue;
      part.used = more = true;
      words.merge(words_of(part.item.text));
    }
  }
  std::vector<Excerpt> excerpts;
  for (const Part& part : parts) {
    if (!part.used) continue;
    const std::string path = std::string(part.source->problem) + "/" + std::string(part.source->file);
    if (excerpts.empty() || excerpts.back().path != path) excerpts.push_back({path, {}});
    append(excerpts.back().lines, part.item, true);
  }
  return excerpts;
}

/// Empty for nothing; four digits otherwise.
std::string quotient_or_blank(std::int64_t part, std::int64_t whole) {
  if (part == 0 || whole == 0) return "";
  return fmt::format("{:.4g}", static_cast<double>(part) / static_cast<double>(whole));
}

/// Of a warp: instructions, branches that diverged; requests to memory of any kind, and the sectors or turns
/// of one.
std::string margin(const Counts& c, std::int64_t warps) {
  std::int64_t requests = 0, parts = 0;
  for (const Requests* const kind : {&c.loads, &c.stores, &c.atomics, &c.shared, &c.constants, &c.textures}) {
    requests += kind->requests;
    parts += kind->parts;
  }
  return fmt::format("{:>8} {:>9} {:>8} {:>8} | ", quotient_or_blank(c.instructions, warps),
                     quotient_or_blank(c.divergent_branches, warps), quotient_or_blank(requests, warps),
                     quotient_or_blank(parts, requests));
}

/// The counts of a line; a file is named from wherever it was compiled.
Counts counts_at(const std::vector<LineCounts>& counts, const std::string& path, int number) {
  const auto found = std::ranges::find_if(counts, [&](const LineCounts& at) {
    return at.line == number && ("/" + at.file).ends_with("/" + path);
  });
  return found == counts.end() ? Counts{} : found->counts;
}

/// Calls add(path, line) for each, and before the parts of headers for a comment that says so.
template <class Add>
void each_line(const std::vector<Excerpt>& excerpts, Add add) {
  for (const Excerpt& excerpt : excerpts) {
    if (&excerpt != &excerpts.front()) {
      add(excerpt, SourceLine{0, ""});
      add(excerpt, SourceLine{0, "// From " + excerpt.path + ":"});
    }
    for (const SourceLine& line : excerpt.lines) add(excerpt, line);
  }
}

}  // namespace

std::vector<Excerpt> excerpts_of(const Problem& problem, const RungInfo& rung) {
  std::vector<Excerpt> excerpts = {own_file(problem, rung)};
  const std::string own = text_of(excerpts);
  std::vector<const Source*> headers;
  collect_headers(own, headers);
  for (Excerpt& part : parts_of(headers, words_of(own))) excerpts.push_back(std::move(part));
  return excerpts;
}

std::string text_of(const std::vector<Excerpt>& excerpts) {
  std::string text;
  each_line(excerpts, [&](const Excerpt&, const SourceLine& line) { text.append(line.text).append("\n"); });
  return text;
}

std::string text_of(const std::vector<Excerpt>& excerpts, const std::vector<LineCounts>& counts) {
  std::int64_t warps = 0;
  for (const LineCounts& at : counts) warps = std::max(warps, at.counts.warps);
  std::string text = fmt::format("{:>8} {:>9} {:>8} {:>8} |\n", "instr ~", "divergent", "requests", "parts");
  each_line(excerpts, [&](const Excerpt& excerpt, const SourceLine& line) {
    const Counts at = line.number == 0 ? Counts{} : counts_at(counts, excerpt.path, line.number);
    text.append(margin(at, warps)).append(line.text).append("\n");
  });
  return text;
}

}  // namespace foldline::ladder
