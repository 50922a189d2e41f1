#include "translate/translate.hpp"

#include <algorithm>

#include "translate/launches.hpp"
#include "translate/removed.hpp"

namespace simt {
namespace {

std::string edited(std::string_view source, const std::vector<Edit>& edits) {
  std::string text;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    text += source.substr(at, edit.begin - at);
    text += edit.text;
    at = edit.begin + edit.bytes;
  }
  text += source.substr(at);
  return text;
}

}  // namespace

Translation translate(std::string_view source, std::string_view file, std::string_view system_folder) {
  const TokenList list = tokens_of(source, file, system_folder);
  std::vector<Edit> edits = launch_edits(list);
  for (const Token& token : list.tokens)
    if (token.is(marked_kernel_word)) edits.push_back({token.begin, token.text.size(), ""});
  std::ranges::sort(edits, {}, &Edit::begin);
  return {edited(source, edits), notes_of(list), kernels_of(list)};
}

}  // namespace simt
