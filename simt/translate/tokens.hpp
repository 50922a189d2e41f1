// A CUDA source as tokens that know where they stand. Comments and blanks are between tokens.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace simt {

enum class TokenKind {
  word,         ///< an identifier or a keyword
  number,       ///< of any form
  literal,      ///< a string or a character, raw strings too
  punctuation,  ///< one character each, but "::" and "->"
  directive     ///< a whole line of the preprocessor, with those that it is continued on
};

struct Token {
  TokenKind kind;
  std::string_view text;
  std::size_t begin;  ///< in the source
  int line;           ///< of its file, as `# 12 "file"` and `#line` say
  int file;           ///< a number for TokenList::files
  bool in_system;     ///< in a header of the system, as `# 12 "file" 3` or its folder says

  std::size_t end() const { return begin + text.size(); }
  bool is(std::string_view other) const { return kind != TokenKind::literal && text == other; }
};

struct TokenList {
  std::vector<Token> tokens;
  std::vector<std::string> files;
};

/// The tokens refer to `source`. What is not closed at its end counts as closed there.
TokenList tokens_of(std::string_view source, std::string_view file, std::string_view system_folder = {});

/// The index of the bracket that closes the one at `open`, which is one of ( [ {; the number of tokens if
/// there is none.
std::size_t closing(const std::vector<Token>& tokens, std::size_t open);

/// True if nothing stands between the two.
inline bool adjacent(const Token& first, const Token& second) { return first.end() == second.begin; }

}  // namespace simt
