// foldline-ladder exec: a whole program.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <simt/device_memory.hpp>
#include <simt/program.hpp>
#include <simt/simt.hpp>
#include <stdexcept>

#include "programs/commands.hpp"
#include "programs/summary.hpp"
#include "programs/toolchain.hpp"
#include "runner/scratch.hpp"

namespace foldline::ladder {
namespace {

bool wants_summary = true;

/// After the program's own objects have gone.
void conclude() {
  simt::report_unasked_refusal();
  std::fflush(nullptr);
  if (wants_summary) print_launches();
  if (simt::options().timeline_steps != 0) print_first_launches();
  if (simt::findings() > 0) ::_exit(1);
}

using Main = int (*)(int, char**);

/// Null, and says why, if there is none.
Main main_of(const std::filesystem::path& program, const std::string& file) {
  try {
    const auto main = reinterpret_cast<Main>(Library(program).find("main"));
    if (main == nullptr)
      fmt::print(stderr, "foldline-ladder: {} has no main; `check` looks at kernels without one\n", file);
    return main;
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "foldline-ladder: {}\n", error.what());
    return nullptr;
  }
}

int run(Main main, const ProgramOptions& options) {
  wants_summary = !options.quiet;
  simt::launches();  // made first, so that it is there until the end
  std::atexit(conclude);
  simt::report_uncaught_errors();
  simt::refuse_host_access();
  std::vector<std::string> words = options.arguments;
  words.insert(words.begin(), options.file.substr(0, options.file.rfind('.')));
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return main(static_cast<int>(words.size()), pointers.data());
}

}  // namespace

int execute(const ProgramOptions& options) {
  const simt::BuildOptions tools = toolchain(options.compiler);
  const Scratch scratch;
  const simt::Translation translation = simt::translate_file(options.file, scratch.path(), tools);
  if (!options.quiet) print_notes(translation.notes);
  const std::filesystem::path program = simt::build(translation.text, scratch.path(), tools);
  return run_limited(
      [&] {
        choose_simulation(options);
        const Main main = main_of(program, options.file);
        return main == nullptr ? 1 : run(main, options);
      },
      options.limits, "the program");
}

}  // namespace foldline::ladder
