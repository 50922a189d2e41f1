// In place of cuda/ where the library is built without CUDA.
#include <stdexcept>

#include "cuda/run.hpp"

namespace foldline::bench::cuda {

Results run_on_gpu(const Options&, nlohmann::ordered_json&) {
  throw std::runtime_error("--device cuda: this foldline-bench was built without FOLDLINE_CUDA");
}

}  // namespace foldline::bench::cuda
