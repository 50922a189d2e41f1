#include "programs/toolchain.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <system_error>

#include "compile/compile.hpp"

namespace foldline::ladder {
namespace {

namespace fs = std::filesystem;

/// FOLDLINE_SIMT_FOLDER is relative to the folder of an installed program, FOLDLINE_SIMT_SOURCES absolute.
fs::path simulator_folder() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = self.parent_path() / FOLDLINE_SIMT_FOLDER;
  for (const fs::path& folder : {installed, fs::path(FOLDLINE_SIMT_SOURCES)})
    if (fs::exists(folder / "shim" / "cuda_runtime.h", error)) return folder.lexically_normal();
  throw simt::CompileError(fmt::format("the simulator's headers are missing: they should be in {}",
                                       installed.lexically_normal().string()));
}

}  // namespace

simt::BuildOptions toolchain(const std::vector<std::string>& compiler_options) {
  const fs::path folder = simulator_folder();
  return {compiler_options, simt::find_clang(), folder / "shim", folder / "include"};
}

void print_notes(const std::vector<simt::Note>& notes) {
  for (const simt::Note& note : notes)
    fmt::print(stderr, "{}:{}: note: {}\n", note.file, note.line, note.text);
}

}  // namespace foldline::ladder
