#include "runner/scratch.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace foldline::ladder {

namespace fs = std::filesystem;

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

Library::Library(const fs::path& path) : handle_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw std::runtime_error(fmt::format("the program does not link: {}", ::dlerror()));
}

void* Library::find(const char* function) const { return ::dlsym(handle_, function); }

}  // namespace foldline::ladder
