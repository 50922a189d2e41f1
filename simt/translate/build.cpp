#include "translate/build.hpp"

#include <fstream>
#include <iterator>

#include "compile/compile.hpp"
#include "compile/process.hpp"
#include "translate/not_here.hpp"

namespace simt {
namespace {

CompileJob job_for(const std::filesystem::path& source, const std::filesystem::path& folder,
                   const BuildOptions& options) {
  // Lines are as the source has them, but what is in them was translated: clang shall not show it.
  return {.source = source,
          .object = folder / "program.o",
          .options = {"-fPIC", "-w", "-fno-caret-diagnostics", "-fno-show-column"},
          .clang = options.clang,
          .launcher = {},
          .shim = options.shim,
          .headers = options.headers};
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

Translation translate_file(const std::filesystem::path& source, const std::filesystem::path& folder,
                           const BuildOptions& options) {
  refuse_headers_that_are_not_here(content_of(source), source.string());
  CompileJob job = job_for(source, folder, options);
  // The word marks kernels, where the preprocessor leaves attributes of the compiler.
  job.options.insert(job.options.end(),
                     {"-DSIMT_KERNEL=" + std::string(marked_kernel_word), "-includesimt_launch.h"});
  job.options.insert(job.options.end(), options.compiler.begin(), options.compiler.end());
  return translate(preprocess(job), source.string(), options.shim.string());
}

std::filesystem::path build(std::string_view text, const std::filesystem::path& folder,
                            const BuildOptions& options) {
  const CompileJob job = job_for("the program", folder, options);
  compile_preprocessed(std::string(text), job);
  const std::filesystem::path shared_object = folder / "program.so";
  if (run_process({options.clang.string(), "-shared", "-Wl,-Bsymbolic", job.object.string(), "-o",
                   shared_object.string()}) != 0)
    throw CompileError("the program cannot be linked");
  return shared_object;
}

}  // namespace simt
