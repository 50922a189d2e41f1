// CUDA's extensions of the language that clang does not read as C++, written as C++: launches. Lines stay
// where they are. The source is what the preprocessor has made, or one that needs none.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "translate/kernels.hpp"

namespace simt {

/// What CUDA has removed, or is about to.
struct Note {
  std::string file;
  int line;
  std::string text;  ///< names today's form
};

struct Translation {
  std::string text;
  std::vector<Note> notes;  ///< one for each thing, at its first use; none of headers of the system
  std::vector<DeclaredKernel> kernels;
};

/// The source is no CUDA C++: what() is FILE:LINE: error: TEXT.
class TranslationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Files in `system_folder` are the system's, too.
Translation translate(std::string_view source, std::string_view file, std::string_view system_folder = {});

}  // namespace simt
