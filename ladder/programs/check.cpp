// foldline-ladder check: kernels with arguments that are made for them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <set>
#include <simt/checked_kernels.hpp>
#include <simt/device_memory.hpp>
#include <simt/error.hpp>
#include <simt/simt.hpp>
#include <stdexcept>

#include "programs/checked_source.hpp"
#include "programs/commands.hpp"
#include "programs/toolchain.hpp"
#include "runner/problem.hpp"
#include "runner/scratch.hpp"

namespace foldline::ladder {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& value, const char* form) {
  throw BadParam(fmt::format("{} {}: {}", option, value, form));
}

/// "16x8" or "256".
dim3 extent_of(const std::string& option, const std::string& text) {
  std::array<unsigned, 3> sizes = {1, 1, 1};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (unsigned& size : sizes) {
    const auto [rest, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size == 0) refuse(option, text, "it is a number, or up to three as 16x16");
    if (rest == end) return {sizes[0], sizes[1], sizes[2]};
    if (*rest != 'x') break;
    at = rest + 1;
  }
  refuse(option, text, "it is a number, or up to three as 16x16");
}

std::map<std::string, std::int64_t> values_of(const std::vector<std::string>& settings) {
  std::map<std::string, std::int64_t> values;
  for (const std::string& setting : settings) {
    const std::size_t equal = setting.find('=');
    std::int64_t value = 0;
    const char* const end = setting.data() + setting.size();
    if (equal == setting.npos || std::from_chars(setting.data() + equal + 1, end, value).ptr != end)
      refuse("--set", setting, "it is NAME=NUMBER");
    values[setting.substr(0, equal)] = value;
  }
  return values;
}

/// The grid covers n with the threads of x, and a square of n if the block has two dimensions.
dim3 grid_of(const ProgramOptions& options, dim3 block) {
  if (!options.grid.empty()) return extent_of("--grid", options.grid);
  const auto cover = [&](unsigned threads) {
    return static_cast<unsigned>((options.n + threads - 1) / threads);
  };
  return {cover(block.x), block.y > 1 ? cover(block.y) : 1, block.z > 1 ? cover(block.z) : 1};
}

simt::CheckedCall call_of(const simt::DeclaredKernel& kernel, const ProgramOptions& options) {
  simt::CheckedCall call;
  call.block = extent_of("--block", options.block);
  call.grid = grid_of(options, call.block);
  const std::int64_t threads = std::int64_t{call.block.x} * call.block.y * call.block.z;
  call.shared_bytes = static_cast<std::size_t>(options.shared_bytes.value_or(threads * 8));
  const auto values = values_of(options.values);
  for (const simt::KernelParameter& parameter : kernel.parameters) {
    simt::CheckedParameter made{
        options.n, {}, parameter.type.find("cudaTextureObject_t") != std::string::npos};
    if (const auto found = values.find(parameter.name); found != values.end()) made.value = found->second;
    call.parameters.push_back(made);
  }
  return call;
}

/// An error that has no place in the source is the launch's: it has the kernel's.
std::string finding_of(const simt::Error& error, const simt::DeclaredKernel& kernel) {
  if (!error.file.empty()) return error.what();
  return fmt::format("{}:{}: error: {}: {}", kernel.file, kernel.line, simt::name_of(error.kind), error.text);
}

/// In several orders of blocks, so that what depends on them shows.
std::set<std::string> findings_of(const simt::DeclaredKernel& kernel, simt::CallChecked call,
                                  const ProgramOptions& options) {
  std::set<std::string> findings;
  for (const auto& [order, seed] :
       {std::pair{"forward", 0}, {"reversed", 0}, {"hostile", 1}, {"hostile", 2}}) {
    ProgramOptions ordered = options;
    ordered.order = order;
    ordered.seed = options.seed + static_cast<std::uint64_t>(seed);
    choose_simulation(ordered);
    try {
      call(call_of(kernel, options));
    } catch (const simt::Error& error) {
      findings.insert(finding_of(error, kernel));
      break;
    } catch (const simt::NotOnThisDevice& error) {
      findings.insert(fmt::format("{}:{}: error: unsupported: {}", kernel.file, kernel.line, error.what()));
      break;
    }
  }
  return findings;
}

int check_one(const std::filesystem::path& program, std::size_t i, const simt::DeclaredKernel& kernel,
              const ProgramOptions& options) {
  simt::refuse_host_access();
  const Library library(program);
  const auto call = reinterpret_cast<simt::CallChecked>(library.find(checked_function(i).c_str()));
  const std::set<std::string> findings = findings_of(kernel, call, options);
  for (const std::string& finding : findings) fmt::print("{}\n", finding);
  return findings.empty() ? 0 : 1;
}

/// In a child process, which must not end by an exception.
int check_here(const std::filesystem::path& program, std::size_t i, const simt::DeclaredKernel& kernel,
               const ProgramOptions& options) {
  try {
    return check_one(program, i, kernel, options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "foldline-ladder: {}\n", error.what());
    return 1;
  }
}

/// Each in a process of its own: one that hangs or crashes leaves the others. The first status that is not 0.
int check_all(const std::filesystem::path& program, const std::vector<simt::DeclaredKernel>& kernels,
              const ProgramOptions& options) {
  int first = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::string what = fmt::format("{}:{}: {}", kernels[i].file, kernels[i].line, kernels[i].name);
    const int status = run_limited([&] { return check_here(program, i, kernels[i], options); },
                                   options.limits, what.c_str());
    if (first == 0) first = status;
  }
  return first;
}

/// Throws BadParam for a --set that no kernel has a parameter for.
void refuse_unknown_names(const std::vector<simt::DeclaredKernel>& kernels, const ProgramOptions& options) {
  std::vector<std::string> names;
  for (const simt::DeclaredKernel& kernel : kernels)
    for (const simt::KernelParameter& parameter : kernel.parameters)
      if (std::ranges::find(names, parameter.name) == names.end()) names.push_back(parameter.name);
  for (const auto& [name, value] : values_of(options.values)) {
    if (std::ranges::find(names, name) != names.end()) continue;
    std::string all;
    for (const std::string& there : names) all += (all.empty() ? "" : ", ") + there;
    refuse("--set", fmt::format("{}={}", name, value),
           ("no kernel has such a parameter; there are " + all).c_str());
  }
}

}  // namespace

int check_kernels(const ProgramOptions& options) {
  simt::BuildOptions tools = toolchain(options.compiler);
  tools.compiler.emplace_back("-includesimt_check.h");
  const Scratch scratch;
  const simt::Translation translation = simt::translate_file(options.file, scratch.path(), tools);
  const std::vector<simt::DeclaredKernel> kernels =
      kernels_to_check(translation, options.file, options.kernel);
  refuse_unknown_names(kernels, options);
  for (const simt::DeclaredKernel& kernel : kernels) call_of(kernel, options);
  const std::string text =
      translation.text + checking_functions(kernels, extent_of("--block", options.block).x, options.kernel);
  const std::filesystem::path program = simt::build(text, scratch.path(), tools);
  return check_all(program, kernels, options);
}

}  // namespace foldline::ladder
