#include "cuda/runtime/kernel_attributes.hpp"

#include <cstddef>
#include <map>
#include <mutex>
#include <tuple>

#include "cuda/runtime/check.hpp"

namespace foldline::cuda {

namespace {

constexpr auto max_dynamic_memory = cudaFuncAttributeMaxDynamicSharedMemorySize;

/// What is asked of a kernel.
enum class Attribute { shared_memory_limit, blocks_with_limit, resident_blocks, programmatic_launch };

struct AttributeCache {
  std::mutex mutex;
  std::map<std::tuple<Attribute, const void*, int, int>, int> values;
};

/// Never destroyed, because other objects may launch kernels when the program exits.
AttributeCache& attribute_cache() {
  static AttributeCache* const instance = new AttributeCache;
  return *instance;
}

/// The cached result of `query` for an attribute of a kernel, a size in bytes and the current device.
/// Exceptions and 0 are not cached: the query may have failed for lack of memory.
template <class Query>
int cached(Attribute attribute, const void* kernel, int bytes, const Query& query) {
  int device = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  const std::lock_guard lock(attribute_cache().mutex);
  auto& known = attribute_cache().values;
  const std::tuple key(attribute, kernel, bytes, device);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  const int answer = query();
  if (answer != 0) known.emplace(key, answer);
  return answer;
}

}  // namespace

void set_max_dynamic_shared_memory(const void* kernel, int bytes) {
  cached(Attribute::shared_memory_limit, kernel, bytes, [&] {
    check(cudaFuncSetAttribute(kernel, max_dynamic_memory, bytes), "asking for shared memory");
    return bytes;
  });
}

int max_blocks_per_multiprocessor(const void* kernel, int threads, int bytes, int max_bytes) {
  return cached(Attribute::blocks_with_limit, kernel, bytes, [&] {
    int blocks = 0;
    if (cudaFuncSetAttribute(kernel, max_dynamic_memory, max_bytes) == cudaSuccess &&
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                      static_cast<std::size_t>(bytes)) == cudaSuccess)
      return blocks;
    cudaGetLastError();  // clears the error, which the caller would take for its own
    return 0;
  });
}

int resident_blocks_per_multiprocessor(const void* kernel, int threads, int bytes) {
  return cached(Attribute::resident_blocks, kernel, bytes, [&] {
    int blocks = 0;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                      static_cast<std::size_t>(bytes)) == cudaSuccess)
      return blocks;
    cudaGetLastError();  // clears the error, which the caller would take for its own
    return 0;
  });
}

bool allows_programmatic_launch(const void* kernel) {
  constexpr int yes = 1, no = 2;  // not 0, which is not cached
  return cached(Attribute::programmatic_launch, kernel, 0, [&] {
           cudaFuncAttributes code = {};
           check(cudaFuncGetAttributes(&code, kernel), "asking for a kernel's properties");
           return code.ptxVersion >= 90 && code.binaryVersion / 10 == 9 ? yes : no;
         }) == yes;
}

void clear_kernel_attributes() {
  const std::lock_guard lock(attribute_cache().mutex);
  attribute_cache().values.clear();
}

}  // namespace foldline::cuda
