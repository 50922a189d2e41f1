#include "runner/device.hpp"

#include <chrono>
#include <string>

#include "runner/launch.cuh"
#include "runner/problem.hpp"

namespace foldline::ladder {

void check(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // clears the error for the next call
  throw std::runtime_error(std::string(doing) + ": " + cudaGetErrorString(error));
}

void unsupported(const char* reason, std::int64_t limit) {
  throw Unsupported(std::string(reason) + " " + std::to_string(limit));
}

void clear(void* data, std::size_t bytes) {
  if (bytes != 0) check(cudaMemsetAsync(data, 0, bytes), "clearing memory of the GPU");
}

double& input_time() {
  static double microseconds = 0;
  return microseconds;
}

void copy_input(void* to, const void* from, std::size_t bytes) {
  const auto start = std::chrono::steady_clock::now();
  check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copying to the GPU");
  input_time() += std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

std::vector<Launch>& launches() {
  static std::vector<Launch> list;
  return list;
}

int multiprocessors() {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0), "asking for the multiprocessors");
  return count;
}

bool note_launch(const void* kernel, std::int64_t grid, dim3 block, std::size_t shared_bytes) {
  constexpr std::int64_t max_blocks = 0x7fffffff;
  if (grid == 0) return false;
  if (grid < 0 || grid > max_blocks)
    throw std::runtime_error("a grid of " + std::to_string(grid) +
                             " blocks; a launch takes 2147483647 at most");
  launches().push_back({kernel, grid, static_cast<int>(block.x * block.y * block.z), shared_bytes});
  return true;
}

}  // namespace foldline::ladder
