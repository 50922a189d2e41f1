#include "compile/translate_asm.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace simt {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The place behind a literal that begins at `at`.
std::size_t behind_literal(std::string_view text, std::size_t at) {
  const char quote = text[at++];
  while (at < text.size() && text[at] != quote) at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

std::size_t behind_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
  return at;
}

/// The place of the parenthesis that closes the one at `open`; npos if there is none.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size();) {
    if (text[at] == '"' || text[at] == '\'') {
      at = behind_literal(text, at);
      continue;
    }
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at;
    ++at;
  }
  return text.npos;
}

/// Cuts at a character that is in no parentheses and no literal. (Between two colons is an empty list.)
std::vector<std::string_view> cut(std::string_view text, char at_character) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"' || text[at] == '\'') {
      at = behind_literal(text, at);
      continue;
    }
    if (text[at] == '(' || text[at] == '[') ++depth;
    if (text[at] == ')' || text[at] == ']') --depth;
    if (depth == 0 && text[at] == at_character) {
      parts.push_back(text.substr(begin, at - begin));
      begin = at + 1;
    }
    ++at;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

bool is_blank(std::string_view text) { return behind_blanks(text, 0) == text.size(); }

struct Operand {
  std::string_view constraint, expression;
};

std::vector<Operand> operands(std::string_view list) {
  std::vector<Operand> all;
  if (is_blank(list)) return all;
  for (const std::string_view part : cut(list, ',')) {
    const std::size_t quote = part.find('"');
    if (quote == part.npos) continue;
    const std::size_t end = behind_literal(part, quote), open = part.find('(', end);
    all.push_back(
        {part.substr(quote + 1, end - quote - 2), part.substr(open, closing(part, open) + 1 - open)});
  }
  return all;
}

/// `inside` is what stands between the parentheses.
std::string call_of(std::string_view inside) {
  const std::vector<std::string_view> parts = cut(inside, ':');
  const std::vector<Operand> outputs = parts.size() > 1 ? operands(parts[1]) : std::vector<Operand>{};
  const std::vector<Operand> inputs = parts.size() > 2 ? operands(parts[2]) : std::vector<Operand>{};
  std::string values, results;
  for (const Operand& output : outputs) {
    const bool is_read = output.constraint.starts_with("+");
    results += " ::simt::set_bits(" + std::string(output.expression) + ", simt_operands[" +
               std::to_string(&output - outputs.data()) + "]);";
    values += is_read ? "::simt::bits_of(" + std::string(output.expression) + "), " : "0, ";
  }
  for (const Operand& input : inputs) values += "::simt::bits_of(" + std::string(input.expression) + "), ";
  return "do { unsigned long long simt_operands[] = {" + values + "0}; ::simt_ptx(" + std::string(parts[0]) +
         ", simt_operands);" + results + " } while (false)";
}

/// Line breaks that a translation lacks are put behind it.
std::string with_lines_of(std::string translation, std::string_view original) {
  const auto lines = [](std::string_view text) { return std::count(text.begin(), text.end(), '\n'); };
  const auto missing = lines(original) - lines(translation);
  if (missing > 0) translation.append(static_cast<std::size_t>(missing), '\n');
  return translation;
}

/// The opening parenthesis of an asm statement that begins at `at`; npos if none does.
std::size_t opening(std::string_view text, std::size_t at) {
  if (text.substr(at, 3) != "asm" || (at > 0 && is_word(text[at - 1])) || at + 3 >= text.size() ||
      is_word(text[at + 3]))
    return text.npos;
  at = behind_blanks(text, at + 3);
  for (const std::string_view word : {"volatile", "__volatile__"})
    if (text.substr(at, word.size()) == word) at = behind_blanks(text, at + word.size());
  return at < text.size() && text[at] == '(' ? at : text.npos;
}

}  // namespace

std::string translate_asm(std::string_view source) {
  std::string result;
  std::size_t copied = 0;
  for (std::size_t at = 0; at < source.size();) {
    if (source[at] == '"' || (source[at] == '\'' && (at == 0 || !is_word(source[at - 1])))) {
      at = behind_literal(source, at);
      continue;
    }
    const std::size_t open = source[at] == 'a' ? opening(source, at) : source.npos;
    const std::size_t close = open == source.npos ? source.npos : closing(source, open);
    if (close == source.npos) {
      ++at;
      continue;
    }
    result += source.substr(copied, at - copied);
    result +=
        with_lines_of(call_of(source.substr(open + 1, close - open - 1)), source.substr(at, close + 1 - at));
    at = copied = close + 1;
  }
  return result += source.substr(copied);
}

}  // namespace simt
