#include "runner/interruption.hpp"

#include <sys/prctl.h>

#include <array>
#include <csignal>
#include <cstring>

namespace foldline::ladder {
namespace {

constexpr std::array signals = {SIGINT, SIGTERM, SIGHUP};
volatile std::sig_atomic_t noted = 0;

void note(int signal) { noted = signal; }

void set_handlers(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  for (const int signal : signals) ::sigaction(signal, &action, nullptr);
}

}  // namespace

Interrupted::Interrupted(int number) : std::runtime_error(::strsignal(number)), signal(number) {}

void note_interruptions() { set_handlers(note); }

bool is_interrupted() { return noted != 0; }

void end_if_interrupted() {
  if (is_interrupted()) throw Interrupted(noted);
}

void begin_child() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (noted == 0) set_handlers(SIG_DFL);
}

}  // namespace foldline::ladder
