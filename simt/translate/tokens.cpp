#include "translate/tokens.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace simt {
namespace {

bool is_word_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return is_word_start(c) || is_digit(c); }

class Reader {
 public:
  Reader(std::string_view source, std::string_view file, std::string_view system_folder)
      : source_(source), system_folder_(system_folder) {
    list_.files.emplace_back(file);
  }

  TokenList read() {
    while (at_ < source_.size()) step();
    return std::move(list_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  bool sees(std::string_view text) const { return source_.substr(at_).starts_with(text); }

  void advance(std::size_t count) {
    for (const std::size_t end = std::min(at_ + count, source_.size()); at_ < end; ++at_)
      if (source_[at_] == '\n') {
        ++line_;
        line_begins_ = true;
      }
  }
  void advance_past(std::string_view end) {
    const std::size_t found = source_.find(end, at_);
    advance(found == source_.npos ? source_.size() - at_ : found + end.size() - at_);
  }

  void step() {
    const char c = peek();
    if (std::isspace(static_cast<unsigned char>(c)) != 0 || sees("\\\n"))
      advance(c == '\\' ? 2 : 1);
    else if (sees("//"))
      advance(end_of_logical_line());
    else if (sees("/*"))
      advance(2), advance_past("*/");
    else if (c == '#' && line_begins_)
      directive();
    else
      token();
  }

  /// To the end of this line and those that backslashes continue it on, without the last end of line.
  std::size_t end_of_logical_line() const {
    std::size_t end = at_;
    while (end < source_.size() && (source_[end] != '\n' || (end > at_ && source_[end - 1] == '\\'))) ++end;
    return end - at_;
  }

  void directive() {
    const std::string_view text = source_.substr(at_, end_of_logical_line());
    add(TokenKind::directive, text.size());
    int line = 0;
    if (set_place(text, line)) line_ = line - 1;  // the end of this line counts, too
  }

  /// `# 12 "file" 1 3` or `#line 12 "file"`.
  bool set_place(std::string_view text, int& line) {
    text.remove_prefix(std::min(text.find_first_not_of("# \t"), text.size()));
    if (text.starts_with("line")) text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), line);
    if (error != std::errc()) return false;
    const std::size_t open = text.find('"'), close = text.rfind('"');
    if (open == text.npos || close == open) return true;
    const std::string name(text.substr(open + 1, close - open - 1));
    const auto found = std::ranges::find(list_.files, name);
    file_ = static_cast<int>(found - list_.files.begin());
    if (found == list_.files.end()) list_.files.push_back(name);
    in_system_ = text.substr(close).find('3') != text.npos ||
                 (!system_folder_.empty() && name.starts_with(system_folder_));
    return true;
  }

  void token() {
    const char c = peek();
    if (const std::size_t prefix = literal_prefix(); prefix != no_literal)
      literal(prefix);
    else if (is_word_start(c))
      add(TokenKind::word, length_while(is_word));
    else if (is_digit(c) || (c == '.' && is_digit(peek(1))))
      add(TokenKind::number, length_of_number());
    else
      add(TokenKind::punctuation, sees("::") || sees("->") ? 2 : 1);
  }

  static constexpr std::size_t no_literal = 99;
  /// How many characters stand before the quote of a literal: L, u8R, ...
  std::size_t literal_prefix() const {
    for (const std::string_view prefix : {"", "R", "L", "u8", "u", "U", "LR", "u8R", "uR", "UR"})
      if (sees(prefix) &&
          (peek(prefix.size()) == '"' || (peek(prefix.size()) == '\'' && !prefix.ends_with("R"))))
        return prefix.size();
    return no_literal;
  }

  void literal(std::size_t prefix) {
    const char quote = peek(prefix);
    if (prefix > 0 && peek(prefix - 1) == 'R') return raw_string(prefix);
    std::size_t length = prefix + 1;
    while (peek(length) != '\0' && peek(length) != quote && peek(length) != '\n')
      length += peek(length) == '\\' ? 2 : 1;
    add(TokenKind::literal, length + (peek(length) == quote ? 1 : 0));
  }

  void raw_string(std::size_t prefix) {
    const std::size_t open = source_.find('(', at_);
    if (open == source_.npos) return add(TokenKind::literal, source_.size() - at_);
    const std::string mark(source_.substr(at_ + prefix + 1, open - at_ - prefix - 1));
    const std::string end = ")" + mark + "\"";
    const std::size_t close = source_.find(end, open);
    add(TokenKind::literal, close == source_.npos ? source_.size() - at_ : close + end.size() - at_);
  }

  std::size_t length_while(bool (*belongs)(char)) const {
    std::size_t length = 0;
    while (belongs(peek(length))) ++length;
    return length;
  }

  /// As the preprocessor has it: 1'000, 0x1p-3, 1e+5f.
  std::size_t length_of_number() const {
    std::size_t length = 0;
    for (;;) {
      const char c = peek(length);
      const bool after_exponent =
          length > 0 && std::string_view("eEpP").find(peek(length - 1)) != std::string_view::npos;
      if (!is_word(c) && c != '.' && !(c == '\'' && is_word(peek(length + 1))) &&
          !((c == '+' || c == '-') && after_exponent))
        return length;
      ++length;
    }
  }

  void add(TokenKind kind, std::size_t length) {
    length = std::min(length, source_.size() - at_);
    list_.tokens.push_back({kind, source_.substr(at_, length), at_, line_, file_, in_system_});
    line_begins_ = false;
    advance(length);
  }

  std::string_view source_, system_folder_;
  std::size_t at_ = 0;
  int line_ = 1, file_ = 0;
  bool line_begins_ = true, in_system_ = false;
  TokenList list_;
};

}  // namespace

TokenList tokens_of(std::string_view source, std::string_view file, std::string_view system_folder) {
  return Reader(source, file, system_folder).read();
}

std::size_t closing(const std::vector<Token>& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].kind != TokenKind::punctuation) continue;
    const char c = tokens[i].text[0];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth == 0) return i;
  }
  return tokens.size();
}

}  // namespace simt
