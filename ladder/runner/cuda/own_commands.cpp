// `try`, where a learner's source is compiled for the GPU.
#include <string_view>

#include "runner/backend.hpp"
#include "runner/cuda/try.hpp"

namespace foldline::ladder {

std::optional<int> run_own_command(int argc, char** argv, const std::vector<Problem>& problems) {
  if (argc < 2 || std::string_view(argv[1]) != "try") return std::nullopt;
  return try_on_gpu(argc, argv, problems);
}

const char* about_own_commands() {
  return "For a solution of your own, see --help:\n"
         "  try       verify it on the GPU, and time it beside the rungs";
}

}  // namespace foldline::ladder
