#include "runner/nvcc.hpp"

#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string>

namespace foldline::ladder {

std::filesystem::path find_nvcc() {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(std::string(path == nullptr ? "" : path) + ":/usr/local/cuda/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path program = std::filesystem::path(folder) / "nvcc";
    if (!folder.empty() && ::access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

}  // namespace foldline::ladder
