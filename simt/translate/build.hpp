// From a whole CUDA program to a shared object.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "translate/translate.hpp"

namespace simt {

struct BuildOptions {
  std::vector<std::string> compiler;  ///< of clang: -I, -D
  std::filesystem::path clang;        ///< as find_clang() has found it
  std::filesystem::path shim;         ///< the folder of the headers with CUDA's names
  std::filesystem::path headers;      ///< the folder that simt/simt.hpp is in
};

/// Runs the preprocessor, and translates what it makes. Files for its output come into `folder`. Messages go
/// to standard error. Throws CompileError and TranslationError.
Translation translate_file(const std::filesystem::path& source, const std::filesystem::path& folder,
                           const BuildOptions& options);

/// Compiles and links a translated text, and returns the path of the shared object in `folder`. The
/// simulator's functions come from the program that loads it.
std::filesystem::path build(std::string_view text, const std::filesystem::path& folder,
                            const BuildOptions& options);

}  // namespace simt
