// foldline-ladder new: a file to begin with.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "programs/commands.hpp"
#include "runner/attempts.hpp"
#include "runner/sources.hpp"

namespace foldline::ladder {
namespace {

/// Throws std::runtime_error, also if there is such a file.
void write_new(const std::string& path, std::string_view text) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wx"), std::fclose);
  if (file == nullptr && errno == EEXIST)
    throw std::runtime_error(path + " exists, and is left as it is; name another file");
  const bool written = file != nullptr &&
                       std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
                       std::fflush(file.get()) == 0;
  if (!written)
    throw std::runtime_error(
        fmt::format("{} cannot be written: {}", path, std::generic_category().message(errno)));
}

}  // namespace

int write_start(const ProgramOptions& options, const std::vector<Problem>& problems) {
  const Problem& problem = problem_to_solve(problems, options.problem);
  const std::string path = options.file.empty() ? "my_" + problem.name + ".cu" : options.file;
  write_new(path, source_of("attempts", problem.name + ".cu").text);
  fmt::print("{} is written: it is right, and slow. Try it: foldline ladder try {} {}\n", path, problem.name,
             path);
  return 0;
}

}  // namespace foldline::ladder
