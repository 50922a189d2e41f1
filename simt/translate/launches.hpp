// kernel<<<grid, block, shared bytes, stream>>>(arguments).
#pragma once

#include <string>
#include <vector>

#include "translate/tokens.hpp"

namespace simt {

/// Replaces `bytes` characters at `begin`.
struct Edit {
  std::size_t begin, bytes;
  std::string text;
};

/// The edits that make each launch a call, in the order of the source. Throws TranslationError.
std::vector<Edit> launch_edits(const TokenList& list);

}  // namespace simt
