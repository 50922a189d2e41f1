#include "compile/process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "compile/compile.hpp"

namespace simt {

int run_process(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw CompileError("no process for the compiler can be started");
  if (child == 0) {
    execvp(arguments[0], arguments.data());
    std::perror(arguments[0]);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace simt
