// simt-cc: a compiler driver. simt-cc [options of clang] -c FILE.cu -o FILE.o
#include <cstring>
#include <iostream>

#include "compile/compile.hpp"

int main(int count, char** words) {
  simt::CompileJob job;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const bool has_next = i + 1 < count;
    if (word == "-o" && has_next)
      job.object = words[++i];
    else if (word.starts_with("--clang="))
      job.clang = word.substr(8);
    else if (word.starts_with("--launcher="))
      job.launcher = word.substr(11);
    else if (word.starts_with("--shim="))
      job.shim = word.substr(7);
    else if (word == "--slow-code")
      job.slow_code = true;
    else if ((word == "-I" || word == "-D" || word == "-include" || word == "-isystem" || word == "-MF" ||
              word == "-MT" || word == "-MQ") &&
             has_next)
      job.options.push_back(word + words[++i]);
    else if (word == "-c")
      continue;
    else if (word.starts_with("-"))
      job.options.push_back(word);
    else if (job.source.empty())
      job.source = word;
    else
      return std::cerr << "simt-cc: one file at a time, not " << word << '\n', 2;
  }
  if (job.source.empty() || job.object.empty()) {
    std::cerr << "usage: simt-cc [--clang=PROGRAM] [--launcher=PROGRAM] [--slow-code] [options of clang] -c "
                 "FILE.cu -o FILE.o\n";
    return 2;
  }
  try {
    simt::compile(job);
  } catch (const simt::CompileError& error) {
    std::cerr << "simt-cc: " << error.what() << '\n';
    return 1;
  }
}
