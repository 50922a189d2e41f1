#include "runner/cublas.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include "runner/problem.hpp"

namespace foldline::ladder {
namespace {

void* open_library() {
  for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"})
    if (void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  throw Unsupported("cuBLAS not found; LD_LIBRARY_PATH says where to look for libcublas.so");
}

/// A value of cuBLAS's own enumeration.
constexpr int pointers_to_device = 1;

void* create_handle() {
  void* handle = nullptr;
  const auto create = reinterpret_cast<int (*)(void**)>(cublas_function("cublasCreate_v2"));
  const auto set_mode = reinterpret_cast<int (*)(void*, int)>(cublas_function("cublasSetPointerMode_v2"));
  check_cublas(create(&handle), "starting cuBLAS");
  check_cublas(set_mode(handle, pointers_to_device), "asking cuBLAS for results on the device");
  return handle;
}

}  // namespace

void* cublas_function(const char* name) {
  static void* const library = open_library();
  void* const function = ::dlsym(library, name);
  if (function == nullptr) throw Unsupported(std::string("cuBLAS has no function ") + name);
  return function;
}

void* cublas_handle() {
  static void* const handle = create_handle();
  return handle;
}

void check_cublas(int status, const char* doing) {
  if (status != 0)
    throw std::runtime_error(std::string(doing) + ": cuBLAS returned status " + std::to_string(status));
}

}  // namespace foldline::ladder
