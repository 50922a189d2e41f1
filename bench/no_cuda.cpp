// In place of cuda/ where the library is built without CUDA.
#include <stdexcept>

#include "cuda/grid.hpp"
#include "cuda/run.hpp"

namespace foldline::bench::cuda {

namespace {

[[noreturn]] void refuse() {
  throw std::runtime_error("--device cuda: this foldline-bench was built without FOLDLINE_CUDA");
}

}  // namespace

Results run_on_gpu(const Options&, nlohmann::ordered_json&) { refuse(); }
void add_grid_contestants(std::int64_t, std::vector<MadeContestant>&) { refuse(); }
nlohmann::ordered_json describe_grid_gpu() { refuse(); }

}  // namespace foldline::bench::cuda
