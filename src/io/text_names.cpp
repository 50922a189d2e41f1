#include "io/text_names.hpp"

#include <algorithm>
#include <variant>

#include "io/text_damage.hpp"
#include "io/text_scan.hpp"

namespace foldline::io {
namespace {

/// The words of a comment that ends with its line; none if they have improper quotes.
std::vector<std::string> words_of(const std::string& comment, const TextDialect& dialect) {
  const std::size_t mark = comment.find_first_not_of(" \t");
  const std::size_t first = comment.find_first_not_of(comment[mark], mark);
  std::vector<std::string> words;
  const char *at = comment.data() + first, *const end = comment.data() + comment.size();
  const TextDialect plain(dialect.separator(), std::nullopt);
  if (!plain.enter_row(at)) return words;
  TextField word;
  do {
    if (plain.read_field(at, end, word) != FieldEnd::proper) return {};
    words.emplace_back(without_blanks(word.value()));
  } while (plain.next_field(at));
  return words;
}

}  // namespace

std::vector<std::string> names_in_comments(const TextLayout& layout, const TextFormat& format) {
  const FieldKinds kind_of(format);
  const auto is_name = [&](const std::string& word) {
    const FieldKind kind = kind_of(word);
    return kind == FieldKind::name || kind == FieldKind::ambiguous;
  };
  std::vector<std::string> names;
  for (const std::string& comment : layout.comments) {
    std::vector<std::string> words = words_of(comment, layout.dialect);
    const bool fits = words.size() == layout.first_row.size() && std::ranges::all_of(words, is_name);
    if (fits && (has_selected_names(words, format) || !has_selected_names(names, format)))
      names = std::move(words);
  }
  return names;
}

bool has_selected_names(const std::vector<std::string>& names, const TextFormat& format) {
  const auto is_there = [&](const TextColumn& column) {
    const auto* const name = std::get_if<std::string>(&column);
    return name == nullptr || std::ranges::find(names, *name) != names.end();
  };
  return !names.empty() && std::ranges::all_of(format.columns, is_there) &&
         std::ranges::all_of(format.key, is_there);
}

}  // namespace foldline::io
