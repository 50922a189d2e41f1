#include "translate/launches.hpp"

#include <algorithm>

#include "translate/kernels.hpp"
#include "translate/translate.hpp"

namespace simt {
namespace {

using Tokens = std::vector<Token>;

/// True if `count` tokens from `i` on are this character, with nothing between them.
bool is_run(const Tokens& tokens, std::size_t i, std::string_view character, std::size_t count) {
  if (i + count > tokens.size()) return false;
  for (std::size_t j = i; j < i + count; ++j)
    if (!tokens[j].is(character) || (j > i && !adjacent(tokens[j - 1], tokens[j]))) return false;
  return true;
}

/// Three of them are no other thing in C++ than `operator<<` with its template arguments.
bool opens_launch(const Tokens& tokens, std::size_t i) {
  return is_run(tokens, i, "<", 3) && i > 0 && !tokens[i - 1].is("operator");
}

[[noreturn]] void fail(const TokenList& list, const Token& at, const std::string& text) {
  throw TranslationError(list.files[static_cast<std::size_t>(at.file)] + ":" + std::to_string(at.line) +
                         ": error: " + text);
}

/// The '>' that begins ">>>(" of the launch whose "<<<" ends before `begin`; the number of tokens if there is
/// none. Where template arguments end in the same characters, it is the last of these places.
std::size_t closing_launch(const Tokens& tokens, std::size_t begin) {
  std::size_t found = tokens.size();
  for (std::size_t i = begin; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is(";") || token.is(")") || token.is("]") || token.is("}") || opens_launch(tokens, i)) break;
    if (token.is("(") || token.is("[") || token.is("{"))
      i = closing(tokens, i);
    else if (is_run(tokens, i, ">", 3) && i + 3 < tokens.size() && tokens[i + 3].is("("))
      found = i;
  }
  return found;
}

std::size_t opening_bracket(const Tokens& tokens, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (tokens[i].is(")") || tokens[i].is("]") || tokens[i].is("}")) ++depth;
    if ((tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) && --depth == 0) return i;
  }
  return tokens.size();
}

/// The '<' of the template arguments that end at `close`.
std::size_t opening_angle(const Tokens& tokens, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (tokens[i].is(")") || tokens[i].is("]") || tokens[i].is("}")) {
      i = opening_bracket(tokens, i);
      if (i >= tokens.size()) break;
    }
    if (tokens[i].is(";") || tokens[i].is("{")) break;
    if (tokens[i].is(">")) ++depth;
    if (tokens[i].is("<") && --depth == 0) return i;
  }
  return tokens.size();
}

/// Where the expression that names the kernel begins, which ends before `end`: a::b<int, 4>, table[i],
/// object.member, (*pointer).
std::size_t begin_of_kernel(const Tokens& tokens, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0) {
    const std::size_t last = begin - 1;
    std::size_t part = tokens.size();
    if (tokens[last].is(">"))
      part = opening_angle(tokens, last);
    else if (tokens[last].is(")") || tokens[last].is("]"))
      part = opening_bracket(tokens, last);
    if (part < tokens.size() && part > 0 && tokens[part - 1].kind == TokenKind::word &&
        !tokens[part - 1].is("return") && !tokens[part - 1].is("else") && !tokens[part - 1].is("do"))
      --part;
    if (tokens[last].kind == TokenKind::word) part = last;
    if (part >= tokens.size()) break;
    begin = part;
    if (begin > 0 && tokens[begin - 1].is("template")) --begin;
    if (begin == 0 ||
        !(tokens[begin - 1].is("::") || tokens[begin - 1].is(".") || tokens[begin - 1].is("->")))
      break;
    --begin;
    const bool goes_on =
        begin > 0 && (tokens[begin - 1].kind == TokenKind::word || tokens[begin - 1].is(">") ||
                      tokens[begin - 1].is(")") || tokens[begin - 1].is("]"));
    if (!goes_on || tokens[begin - 1].is("return") || tokens[begin - 1].is("else")) break;
  }
  return begin;
}

std::string as_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + "\"";
}

/// The call up to the launch's configuration, with as many lines as it replaces.
std::string opening_of_call(const TokenList& list, std::string_view source, std::size_t begin,
                            std::size_t angles) {
  const Tokens& tokens = list.tokens;
  const std::string kernel = text_of(tokens, begin, angles);
  const Token& at = tokens[begin];
  const auto lines = std::ranges::count(source, '\n');
  return "::simt::starting([&](auto simt_take) -> decltype(simt_take(" + kernel + ")) { return simt_take(" +
         kernel + "); }, [&](auto&... simt_arguments) __attribute__((no_sanitize(\"coverage\"))) { " +
         kernel + "(simt_arguments...); }, {" + as_literal(kernel) + ", \"" +
         list.files[static_cast<std::size_t>(at.file)] + "\", " + std::to_string(at.line) + "}, " +
         std::string(static_cast<std::size_t>(lines), '\n');
}

}  // namespace

std::vector<Edit> launch_edits(const TokenList& list) {
  const Tokens& tokens = list.tokens;
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].in_system || !opens_launch(tokens, i)) continue;
    const std::size_t begin = begin_of_kernel(tokens, i), close = closing_launch(tokens, i + 3);
    if (begin == i) fail(list, tokens[i], "<<< has no kernel before it");
    if (close == tokens.size())
      fail(list, tokens[i],
           "the launch of " + text_of(tokens, begin, i) +
               " does not end: a launch is kernel<<<grid, block>>>(arguments)");
    if (close == i + 3)
      fail(list, tokens[i], "the launch of " + text_of(tokens, begin, i) + " names no grid and no block");
    const std::size_t from = tokens[begin].begin, to = tokens[i + 2].end();
    const std::string_view replaced(tokens[begin].text.data(), to - from);
    edits.push_back({from, to - from, opening_of_call(list, replaced, begin, i)});
    edits.push_back({tokens[close].begin, 3, ")"});
    i += 2;
  }
  std::ranges::sort(edits, {}, &Edit::begin);
  return edits;
}

}  // namespace simt
