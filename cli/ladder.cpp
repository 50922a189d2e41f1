#include "ladder.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <foldline/foldline.hpp>

namespace foldline::cli {
namespace {

constexpr const char* program = "foldline-ladder";
constexpr const char* program_for_gpus = "foldline-ladder-cuda";  // all there is where the other was left out

/// The folder of this program; one that does not exist if the system does not tell.
std::filesystem::path own_folder() {
  std::error_code error;
  const std::filesystem::path file = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "/proc/self/no-folder" : file.parent_path();
}

}  // namespace

void become_ladder(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program);
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  ::execv((own_folder() / program).c_str(), words.data());
  if (errno == ENOENT) ::execv((own_folder() / program_for_gpus).c_str(), words.data());
  if (errno == ENOENT) ::execvp(program, words.data());
  if (errno == ENOENT)
    throw Error(
        "ladder: foldline-ladder is neither beside foldline nor on PATH; build it with "
        "-DFOLDLINE_BUILD_LADDER=ON, which needs clang-19, libboost-context-dev and libdw-dev");
  throw Error("ladder: foldline-ladder cannot be run: " + std::generic_category().message(errno));
}

}  // namespace foldline::cli
