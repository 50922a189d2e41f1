// What CUDA has removed since the textbooks were written.
#pragma once

#include <vector>

#include "translate/translate.hpp"

namespace simt {

/// One note for each removed thing that is used, at its first use.
std::vector<Note> notes_of(const TokenList& list);

}  // namespace simt
