#include "programs/toolchain.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstdio>
#include <stdexcept>
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

Scratch::Scratch() {
  std::string name = (fs::temp_directory_path() / "foldline-ladder-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), "making the folder " + name);
  path_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void print_notes(const std::vector<simt::Note>& notes) {
  for (const simt::Note& note : notes)
    fmt::print(stderr, "{}:{}: note: {}\n", note.file, note.line, note.text);
}

Library::Library(const fs::path& path) : handle_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw std::runtime_error(fmt::format("the program does not link: {}", ::dlerror()));
}

void* Library::find(const char* function) const { return ::dlsym(handle_, function); }

}  // namespace foldline::ladder
