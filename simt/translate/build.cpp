#include "translate/build.hpp"

#include "compile/compile.hpp"
#include "compile/process.hpp"

namespace simt {
namespace {

CompileJob job_for(const std::filesystem::path& source, const std::filesystem::path& folder,
                   const BuildOptions& options) {
  return {source, folder / "program.o", {"-fPIC", "-w"}, options.clang, options.shim, options.headers};
}

}  // namespace

Translation translate_file(const std::filesystem::path& source, const std::filesystem::path& folder,
                           const BuildOptions& options) {
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
