#include "translate/kernels.hpp"

#include <algorithm>
#include <array>

namespace simt {
namespace {

using Tokens = std::vector<Token>;

/// Where the list of template parameters or arguments that begins at `open`, a '<', ends: at its '>'.
std::size_t closing_angle(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) i = closing(tokens, i);
    if (i >= tokens.size() || tokens[i].is(";")) break;
    if (tokens[i].is("<")) ++depth;
    if (tokens[i].is(">") && --depth == 0) return i;
  }
  return tokens.size();
}

/// The parts of [begin, end) between commas that are in no brackets.
std::vector<std::pair<std::size_t, std::size_t>> parts_of(const Tokens& tokens, std::size_t begin,
                                                          std::size_t end) {
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  int depth = 0;
  std::size_t start = begin;
  for (std::size_t i = begin; i < end; ++i) {
    if (tokens[i].kind != TokenKind::punctuation) continue;
    const char c = tokens[i].text[0];
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back(start, i);
      start = i + 1;
    }
  }
  if (start < end) parts.emplace_back(start, end);
  return parts;
}

std::size_t position_of(const Tokens& tokens, std::size_t begin, std::size_t end, std::string_view text) {
  while (begin < end && !tokens[begin].is(text)) ++begin;
  return begin;
}

bool is_part_of_type(const Token& word) {
  constexpr std::array<std::string_view, 10> words = {"int",    "unsigned", "signed", "long", "short",
                                                      "double", "float",    "char",   "bool", "const"};
  return word.kind != TokenKind::word || std::ranges::find(words, word.text) != words.end();
}

KernelParameter parameter_of(const Tokens& tokens, std::size_t begin, std::size_t end) {
  end = position_of(tokens, begin, end, "=");
  const std::size_t name_end = position_of(tokens, begin, end, "[");
  const bool has_name =
      name_end > begin + 1 && !is_part_of_type(tokens[name_end - 1]) && !tokens[name_end - 2].is("::");
  if (!has_name) return {text_of(tokens, begin, end), {}};
  return {text_of(tokens, begin, name_end - 1) + (name_end < end ? "*" : ""),
          std::string(tokens[name_end - 1].text)};
}

KernelTemplateParameter template_parameter_of(const Tokens& tokens, std::size_t begin, std::size_t end) {
  KernelTemplateParameter parameter;
  const std::size_t stop = position_of(tokens, begin, end, "=");
  parameter.has_default = stop < end;
  parameter.is_pack = position_of(tokens, begin, stop, ".") < stop;
  if (tokens[begin].is("class") || tokens[begin].is("typename"))
    parameter.kind = "class";
  else
    parameter.kind = parameter_of(tokens, begin, stop).type;
  return parameter;
}

class Finder {
 public:
  explicit Finder(const TokenList& list) : list_(list), tokens_(list.tokens) {}

  std::vector<DeclaredKernel> find() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) i = step(i);
    return std::move(kernels_);
  }

 private:
  /// Returns the last token that it has dealt with.
  std::size_t step(std::size_t i) {
    const Token& token = tokens_[i];
    if (token.is("namespace")) return enter_namespace(i);
    if (token.is("{")) scopes_.emplace_back();
    if (token.is("}") && !scopes_.empty()) scopes_.pop_back();
    if (token.is(";") || token.is("{") || token.is("}")) template_begin_ = template_end_ = 0;
    if (token.is("template") && i + 1 < tokens_.size() && tokens_[i + 1].is("<")) {
      template_begin_ = i + 2;
      template_end_ = closing_angle(tokens_, i + 1);
      return std::min(template_end_, tokens_.size() - 1);
    }
    if (token.is(kernel_word) || token.is(marked_kernel_word)) return add_kernel(i);
    return i;
  }

  std::size_t enter_namespace(std::size_t i) {
    std::string name;
    for (++i; i < tokens_.size() && (tokens_[i].kind == TokenKind::word || tokens_[i].is("::")); ++i)
      if (!tokens_[i].is("inline")) name += tokens_[i].text;
    if (i >= tokens_.size() || !tokens_[i].is("{")) return i - 1;  // an alias, or `using namespace`
    scopes_.push_back(std::move(name));
    return i;
  }

  std::size_t add_kernel(std::size_t i) {
    std::size_t open = i + 1;
    const auto takes_brackets = [&](const Token& word) {
      return word.is("__launch_bounds__") || word.is("__attribute__") || word.is("alignas");
    };
    while (open < tokens_.size() && !tokens_[open].is("(")) {
      if (tokens_[open].is(";") || tokens_[open].is("{")) return i;
      if (takes_brackets(tokens_[open])) open = closing(tokens_, open + 1);
      ++open;
    }
    const std::size_t close = closing(tokens_, open);
    if (close >= tokens_.size() || tokens_[open - 1].kind != TokenKind::word) return i;
    const Token& name = tokens_[open - 1];
    DeclaredKernel kernel;
    for (const std::string& scope : scopes_)
      if (!scope.empty()) kernel.name += scope + "::";
    kernel.name += name.text;
    kernel.file = list_.files[static_cast<std::size_t>(name.file)];
    kernel.line = name.line;
    kernel.in_system = name.in_system;
    kernel.is_defined = close + 1 < tokens_.size() && tokens_[close + 1].is("{");
    for (const auto& [begin, end] : parts_of(tokens_, template_begin_, template_end_))
      kernel.template_parameters.push_back(template_parameter_of(tokens_, begin, end));
    for (const auto& [begin, end] : parts_of(tokens_, open + 1, close))
      if (end - begin > 1 || !tokens_[begin].is("void"))
        kernel.parameters.push_back(parameter_of(tokens_, begin, end));
    kernels_.push_back(std::move(kernel));
    return close;
  }

  const TokenList& list_;
  const Tokens& tokens_;
  std::vector<std::string> scopes_;  ///< empty names: no namespaces, or unnamed ones
  std::size_t template_begin_ = 0, template_end_ = 0;
  std::vector<DeclaredKernel> kernels_;
};

}  // namespace

std::vector<DeclaredKernel> kernels_of(const TokenList& list) { return Finder(list).find(); }

std::string text_of(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    if (i > begin && !adjacent(tokens[i - 1], tokens[i])) text += ' ';
    text += tokens[i].text;
  }
  return text;
}

}  // namespace simt
