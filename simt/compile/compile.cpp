#include "compile/compile.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "compile/instrument.hpp"
#include "compile/process.hpp"
#include "compile/translate_asm.hpp"

namespace simt {
namespace {

constexpr int oldest_clang = 16, newest_clang = 40;

/// Every conditional stays a branch, so that divergence can be seen; nothing becomes a vector operation of
/// the host; loops end only where the source says so.
const std::vector<std::string> code_options = {
    "-O1",
    "-gdwarf-4",
    "-gline-tables-only",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-unroll-loops",
    "-fno-optimize-sibling-calls",
    "-fno-strict-aliasing",
    "-fno-discard-value-names",
    "-fno-finite-loops",
    "-fno-delete-null-pointer-checks",
    "-ffp-contract=off",
    "-mllvm",
    "-two-entry-phi-node-folding-threshold=0",
    "-mllvm",
    "-phi-node-folding-threshold=0",
    "-mllvm",
    "-bonus-inst-threshold=4",
    "-fsanitize-coverage=bb,no-prune,trace-pc-guard,pc-table,control-flow,trace-loads,trace-stores"};

/// A host compiler says these of what is usual in kernels.
const std::vector<std::string> quiet_options = {"-Wno-ignored-attributes", "-Wno-undefined-internal",
                                                "-Wno-unknown-cuda-version", "-Wno-pass-failed",
                                                "-Wno-undefined-inline"};

/// The path of a program in $PATH, or an empty one.
std::filesystem::path program(const std::string& name) {
  const char* const all = std::getenv("PATH");
  std::string_view rest = all == nullptr ? "" : all;
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    const std::filesystem::path path = std::filesystem::path(rest.substr(0, end)) / name;
    if (access(path.c_str(), X_OK) == 0) return path;
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  return {};
}

/// 0 if it is no clang.
int version_of(const std::filesystem::path& clang) {
  const std::string command = "'" + clang.string() + "' -dumpversion 2>/dev/null";
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return 0;
  int version = 0;
  if (std::fscanf(pipe, "%d", &version) != 1) version = 0;
  pclose(pipe);
  return version;
}

/// Files beside the object, gone at the end.
class Intermediate {
 public:
  explicit Intermediate(const std::filesystem::path& object)
      : stem_(object.string() + "." + std::to_string(getpid())) {}
  ~Intermediate() {
    std::error_code ignored;
    for (const char* const end : {".plain.ii", ".ii", ".plain.ll", ".ll"})
      std::filesystem::remove(stem_ + end, ignored);
  }
  std::string operator()(const char* end) const { return stem_ + end; }

 private:
  std::string stem_;
};

std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw CompileError("cannot write " + file);
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// Of options with a word of their own behind them, simt-cc has made one.
bool is_preprocessor_option(const std::string& option) {
  for (const std::string_view begin : {"-I", "-D", "-U", "-M", "-include", "-isystem", "-iquote"})
    if (option.starts_with(begin)) return true;
  return false;
}

bool is_position_option(const std::string& option) {
  return option.starts_with("-fPI") || option.starts_with("-fpi") || option.starts_with("-fno-pi") ||
         option.starts_with("--target") || option.starts_with("-m");
}

std::string clang_of(const CompileJob& job) {
  return (job.clang.empty() ? find_clang() : job.clang).string();
}

std::string shim_of(const CompileJob& job) { return job.shim.empty() ? SIMT_SHIM_DIR : job.shim.string(); }

}  // namespace

std::filesystem::path find_clang() {
  if (const char* const named = std::getenv("SIMT_CLANG"); named != nullptr && *named != '\0') return named;
  for (int version = newest_clang; version >= oldest_clang; --version)
    if (std::filesystem::path path = program("clang++-" + std::to_string(version)); !path.empty())
      return path;
  if (std::filesystem::path path = program("clang++"); !path.empty() && version_of(path) >= oldest_clang)
    return path;
  throw CompileError(
      "kernels for the simulator need clang 16 or newer, and there is none: install it (Debian: apt install "
      "clang-19), or name it in SIMT_CLANG");
}

std::string preprocess(const CompileJob& job) {
  const std::string shim = shim_of(job);
  const Intermediate files(job.object);
  std::vector<std::string> words = {clang_of(job),
                                    "-E",
                                    "-x",
                                    "c++",
                                    "-std=c++20",
                                    "-fdeclspec",
                                    "-DSIMT_KERNEL_FILE",
                                    "-I",
                                    shim,
                                    "-I",
                                    job.headers.empty() ? SIMT_INCLUDE_DIR : job.headers.string(),
                                    "-include",
                                    shim + "/cuda_runtime.h"};
  append(words, job.options);
  append(words, {job.source.string(), "-o", files(".plain.ii")});
  if (run_process(words) != 0) throw CompileError(job.source.string() + " does not compile");
  return content(files(".plain.ii"));
}

void compile(const CompileJob& job) { compile_preprocessed(preprocess(job), job); }

void compile_preprocessed(const std::string& text, const CompileJob& job) {
  const std::string clang = clang_of(job);
  const Intermediate files(job.object);
  write(files(".ii"), translate_asm(text));

  std::vector<std::string> first;
  if (!job.launcher.empty()) first.push_back(job.launcher);
  append(first, {clang, "-x", "c++-cpp-output", "-std=c++20", "-fdeclspec"});
  append(first, code_options);
  append(first, quiet_options);
  for (const std::string& option : job.options)
    if (!is_preprocessor_option(option)) first.push_back(option);
  append(first, {"-S", "-emit-llvm", files(".ii"), "-o", files(".plain.ll")});
  if (run_process(first) != 0) throw CompileError(job.source.string() + " does not compile");
  write(files(".ll"), ir::instrument(content(files(".plain.ll")), content(files(".ii"))));

  std::vector<std::string> second = {clang,
                                     "-x",
                                     "ir",
                                     job.slow_code ? "-O0" : "-O1",
                                     "-Xclang",
                                     "-disable-llvm-passes",
                                     "-mllvm",
                                     "-generate-arange-section",
                                     "-ffunction-sections",
                                     "-fdata-sections"};
  for (const std::string& option : job.options)
    if (is_position_option(option)) second.push_back(option);
  append(second, {"-Wno-override-module", "-Wno-unused-command-line-argument", "-c", files(".ll"), "-o",
                  job.object.string()});
  if (run_process(second) != 0)
    throw CompileError("clang refuses what the simulator made of " + job.source.string() +
                       ": this is a fault of the simulator");
}

}  // namespace simt
