#include "cuda/runtime/kernel_limits.hpp"

#include <cstddef>
#include <map>
#include <mutex>
#include <tuple>

#include "cuda/runtime/check.hpp"

namespace foldline::cuda {

namespace {

constexpr auto most_memory = cudaFuncAttributeMaxDynamicSharedMemorySize;

struct Answers {
  std::mutex mutex;
  std::map<std::tuple<const void*, int, int>, int> of_question;
};

/// Never destroyed, because other objects may launch kernels when the program exits.
Answers& answers() {
  static Answers* const instance = new Answers;
  return *instance;
}

/// The cached result of `query` for a kernel, a size in bytes and the current device. Exceptions and 0 are
/// not cached: the query may have failed for lack of memory.
template <class Ask>
int asked_once(const void* kernel, int bytes, const Ask& ask) {
  int device = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  const std::lock_guard lock(answers().mutex);
  auto& known = answers().of_question;
  const std::tuple question(kernel, bytes, device);
  const auto found = known.find(question);
  if (found != known.end()) return found->second;
  const int answer = ask();
  if (answer != 0) known.emplace(question, answer);
  return answer;
}

}  // namespace

void allow_shared_memory(const void* kernel, int bytes) {
  asked_once(kernel, bytes, [&] {
    check(cudaFuncSetAttribute(kernel, most_memory, bytes), "asking for shared memory");
    return bytes;
  });
}

int blocks_of_multiprocessor(const void* kernel, int threads, int bytes, int most_bytes) {
  return asked_once(kernel, bytes, [&] {
    int blocks = 0;
    if (cudaFuncSetAttribute(kernel, most_memory, most_bytes) == cudaSuccess &&
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                      static_cast<std::size_t>(bytes)) == cudaSuccess)
      return blocks;
    cudaGetLastError();  // clears the error, which the caller would take for its own
    return 0;
  });
}

int blocks_at_a_time(const void* kernel, int threads, int bytes) {
  const int own_question = -2 - bytes;
  return asked_once(kernel, own_question, [&] {
    int blocks = 0;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                      static_cast<std::size_t>(bytes)) == cudaSuccess)
      return blocks;
    cudaGetLastError();  // clears the error, which the caller would take for its own
    return 0;
  });
}

bool may_begin_early(const void* kernel) {
  constexpr int yes = 1, no = 2;  // not 0, which is not cached
  constexpr int own_question = -1;
  return asked_once(kernel, own_question, [&] {
           cudaFuncAttributes code = {};
           check(cudaFuncGetAttributes(&code, kernel), "asking for a kernel's properties");
           return code.ptxVersion >= 90 && code.binaryVersion / 10 == 9 ? yes : no;
         }) == yes;
}

void forget_kernel_limits() {
  const std::lock_guard lock(answers().mutex);
  answers().of_question.clear();
}

}  // namespace foldline::cuda
