#include "kernel_compiler.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "foldline/error.hpp"

namespace foldline::cli {
namespace {

void* open_library() {
  // NVIDIA's installer uses a folder that the dynamic linker may not search.
  for (const char* name :
       {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"})
    if (void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  throw Error(
      "--device cuda compiles the formula with NVRTC, which is not here; install the CUDA toolkit, or say in "
      "LD_LIBRARY_PATH where libnvrtc.so is");
}

template <class Function>
Function* function(const char* name) {
  static void* const library = open_library();
  void* const address = ::dlsym(library, name);
  if (address == nullptr) throw Error(fmt::format("NVRTC has no function {}; it needs to be newer", name));
  return reinterpret_cast<Function*>(address);
}

// What nvrtc.h declares: programs are pointers, statuses 0 if all is well.
using Status = int;

/// An NVRTC program, which is destroyed at the end.
class Program {
 public:
  explicit Program(const std::string& source) {
    // The one header of the standard library that the kernels need; NVRTC has none.
    std::vector<const char*> names = {"cstdint"};
    std::vector<const char*> texts = {
        "namespace std {\n"
        "using int64_t = long long;\n"
        "using uint32_t = unsigned;\n"
        "}\n"};
    for (const DeviceHeader& header : device_headers) {
      names.push_back(header.name);
      texts.push_back(header.text);
    }
    using Create = Status(void**, const char*, const char*, int, const char* const*, const char* const*);
    check(function<Create>("nvrtcCreateProgram")(&program_, source.c_str(), "formula.cu",
                                                 static_cast<int>(names.size()), texts.data(), names.data()));
  }
  ~Program() { function<Status(void**)>("nvrtcDestroyProgram")(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void ask_for(const std::string& kernel) {
    check(function<Status(void*, const char*)>("nvrtcAddNameExpression")(program_, kernel.c_str()));
  }
  void compile(const std::vector<const char*>& options) {
    using Compile = Status(void*, int, const char* const*);
    const Status status =
        function<Compile>("nvrtcCompileProgram")(program_, static_cast<int>(options.size()), options.data());
    if (status != 0) throw Error(fmt::format("NVRTC cannot compile the formula: {}", first_line(log())));
  }
  std::string name_of(const std::string& kernel) const {
    const char* name = nullptr;
    check(function<Status(void*, const char*, const char**)>("nvrtcGetLoweredName")(program_, kernel.c_str(),
                                                                                    &name));
    return name;
  }
  std::string code() const { return text_of("nvrtcGetCUBINSize", "nvrtcGetCUBIN"); }

 private:
  static void check(Status status) {
    if (status != 0)
      throw Error(
          fmt::format("NVRTC failed: {}", function<const char*(Status)>("nvrtcGetErrorString")(status)));
  }
  std::string log() const { return text_of("nvrtcGetProgramLogSize", "nvrtcGetProgramLog"); }
  static std::string first_line(const std::string& text) { return text.substr(0, text.find_first_of('\n')); }

  std::string text_of(const char* size_function, const char* text_function) const {
    std::size_t size = 0;
    check(function<Status(void*, std::size_t*)>(size_function)(program_, &size));
    std::string text(size, '\0');
    check(function<Status(void*, char*)>(text_function)(program_, text.data()));
    return text;
  }

  void* program_ = nullptr;
};

}  // namespace

DeviceCode compile_kernels(const std::string& source, const std::vector<std::string>& kernels,
                           const std::string& architecture) {
  Program program(source);
  for (const std::string& kernel : kernels) program.ask_for(kernel);
  const std::string target = "--gpu-architecture=" + architecture;
  // As on the CPU: a * b + c is two roundings.
  program.compile({target.c_str(), "--std=c++20", "--fmad=false"});
  DeviceCode result{program.code(), {}};
  for (const std::string& kernel : kernels) result.names.push_back(program.name_of(kernel));
  return result;
}

}  // namespace foldline::cli
