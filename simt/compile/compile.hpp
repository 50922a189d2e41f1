// From a file with CUDA kernels to an object file for the simulator.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace simt {

struct CompileJob {
  std::filesystem::path source, object;
  std::vector<std::string> options;  ///< of clang: -I, -D, -std, -fPIC, -MD ...
  std::filesystem::path clang;       ///< empty: $SIMT_CLANG, or the newest that is found
  std::filesystem::path launcher;    ///< starts clang where most time goes, as ccache; empty: none
  bool slow_code = false;            ///< made in a third of the time
  /// The folders of the headers with CUDA's names and of simt/; empty: those of the build.
  std::filesystem::path shim, headers;
};

class CompileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Compiler messages go to standard error. Throws CompileError.
void compile(const CompileJob& job);

/// The first step of it, and all others. Between the two a text may be changed.
std::string preprocess(const CompileJob& job);
void compile_preprocessed(const std::string& text, const CompileJob& job);

/// The clang that is used if a job names none. Throws CompileError if there is none from version 16 on.
std::filesystem::path find_clang();

}  // namespace simt
