#include "devices/device_state.hpp"

#include <map>

namespace simt {
namespace {

struct State {
  cudaError_t last_error = cudaSuccess;
  std::string why;
  std::map<const void*, std::size_t> dynamic_shared;
};

State& state() {
  static State& only = *new State;  // never destroyed: the program's own objects may outlive it
  return only;
}

}  // namespace

cudaError_t remember(cudaError_t error, const std::string& why) {
  if (error != cudaSuccess) {
    state().last_error = error;
    state().why = why;
  }
  return error;
}

const std::string& why_last_error() { return state().why; }

cudaError_t last_error(bool keep) {
  const cudaError_t error = state().last_error;
  if (!keep) state().last_error = cudaSuccess;
  return error;
}

std::size_t dynamic_shared_limit(const void* kernel) {
  constexpr std::size_t of_every_device = 48 * 1024;
  const auto found = state().dynamic_shared.find(kernel);
  return found == state().dynamic_shared.end() ? of_every_device : found->second;
}

void set_dynamic_shared_limit(const void* kernel, std::size_t bytes) {
  state().dynamic_shared[kernel] = bytes;
}

void reset_device_state() { state() = {}; }

}  // namespace simt
