#include "translate/removed.hpp"

#include <algorithm>
#include <array>

namespace simt {
namespace {

struct Removed {
  std::string_view name;
  char next;  ///< what follows the name where it is used
  std::string_view note;
};

constexpr std::array removed = {
    Removed{"texture", '<',
            "texture references were removed in CUDA 12: today a kernel gets a cudaTextureObject_t, which "
            "cudaCreateTextureObject makes, and reads tex1Dfetch<float>(object, i)"},
    Removed{"cudaBindTexture", '(',
            "cudaBindTexture was removed in CUDA 12: today cudaCreateTextureObject takes the memory in a "
            "cudaResourceDesc of cudaResourceTypeLinear"},
    Removed{"cudaBindTexture2D", '(',
            "cudaBindTexture2D was removed in CUDA 12: today cudaCreateTextureObject takes the memory in a "
            "cudaResourceDesc of cudaResourceTypePitch2D"},
    Removed{
        "cudaBindTextureToArray", '(',
        "cudaBindTextureToArray was removed in CUDA 12: today cudaCreateTextureObject takes the array in a "
        "cudaResourceDesc of cudaResourceTypeArray"},
    Removed{"cudaUnbindTexture", '(',
            "cudaUnbindTexture was removed in CUDA 12: today it is cudaDestroyTextureObject(object)"},
    Removed{"cudaMemcpyToArray", '(',
            "cudaMemcpyToArray is deprecated since CUDA 10.1: today it is cudaMemcpy2DToArray with one row"},
    Removed{
        "cudaMemcpyFromArray", '(',
        "cudaMemcpyFromArray is deprecated since CUDA 10.1: today it is cudaMemcpy2DFromArray with one row"},
    Removed{"cudaThreadSynchronize", '(',
            "cudaThreadSynchronize was removed in CUDA 13: today it is cudaDeviceSynchronize()"},
    Removed{"cudaThreadExit", '(', "cudaThreadExit was removed in CUDA 13: today it is cudaDeviceReset()"},
    Removed{"__shfl", '(',
            "__shfl has no mask, and GPUs since Volta do not have it: today it is __shfl_sync(0xffffffff, "
            "value, lane)"},
    Removed{"__shfl_up", '(',
            "__shfl_up has no mask, and GPUs since Volta do not have it: today it is "
            "__shfl_up_sync(0xffffffff, value, distance)"},
    Removed{"__shfl_down", '(',
            "__shfl_down has no mask, and GPUs since Volta do not have it: today it is "
            "__shfl_down_sync(0xffffffff, value, distance)"},
    Removed{"__shfl_xor", '(',
            "__shfl_xor has no mask, and GPUs since Volta do not have it: today it is "
            "__shfl_xor_sync(0xffffffff, value, lanes)"},
    Removed{
        "__ballot", '(',
        "__ballot has no mask, and GPUs since Volta do not have it: today it is __ballot_sync(0xffffffff, "
        "predicate)"},
    Removed{"__any", '(',
            "__any has no mask, and GPUs since Volta do not have it: today it is __any_sync(0xffffffff, "
            "predicate)"},
    Removed{"__all", '(',
            "__all has no mask, and GPUs since Volta do not have it: today it is __all_sync(0xffffffff, "
            "predicate)"},
};

}  // namespace

std::vector<Note> notes_of(const TokenList& list) {
  std::vector<Note> notes;
  std::array<bool, removed.size()> seen = {};
  for (std::size_t i = 0; i + 1 < list.tokens.size(); ++i) {
    const Token& token = list.tokens[i];
    if (token.in_system || token.kind != TokenKind::word) continue;
    const auto* const found = std::ranges::find(removed, token.text, &Removed::name);
    if (found == removed.end() || list.tokens[i + 1].text[0] != found->next) continue;
    bool& was_seen = seen[static_cast<std::size_t>(found - removed.begin())];
    if (!was_seen)
      notes.push_back(
          {list.files[static_cast<std::size_t>(token.file)], token.line, std::string(found->note)});
    was_seen = true;
  }
  return notes;
}

}  // namespace simt
