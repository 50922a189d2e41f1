// Device memory that the host must not reach: its pages cannot be accessed while the host's code runs.
#include <execinfo.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <simt/device_memory.hpp>
#include <simt/program.hpp>
#include <string>

#include "memory/memory.hpp"
#include "runtime/machine.hpp"
#include "runtime/places.hpp"

namespace simt {
namespace {

std::atomic<bool> refuses = false;
std::atomic<int> users = 0;

std::uintptr_t instruction_of(const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.pc;
#else
  return 0;
#endif
}

const char* what_it_does(const ucontext_t& context) {
#if defined(__x86_64__)
  constexpr long long write_bit = 2;
  return (context.uc_mcontext.gregs[REG_ERR] & write_bit) != 0 ? "writes" : "reads";
#else
  static_cast<void>(context);
  return "reads or writes";
#endif
}

/// The line of the instruction, or of the innermost call that has one: a function of the C library has none.
SourcePlace place_of_fault(std::uintptr_t instruction) {
  if (const SourcePlace place = source_place(instruction + 1); !place.file.empty()) return place;
  std::array<void*, 64> frames{};
  const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  bool is_behind = false;
  for (int i = 0; i < count; ++i) {
    const auto address = reinterpret_cast<std::uintptr_t>(frames[static_cast<std::size_t>(i)]);
    if (is_behind)
      if (const SourcePlace place = source_place(address); !place.file.empty()) return place;
    is_behind = is_behind || address == instruction;
  }
  return {};
}

std::string text_of(std::uintptr_t address, const ucontext_t& context) {
  std::string text = std::string("device pointer: host code ") + what_it_does(context);
  const Allocation* const array = device_memory().find(address);
  if (array != nullptr && array->holds(address, 1))
    text += " byte " + std::to_string(address - array->begin) + " of " + std::to_string(array->bytes) +
            " bytes of the GPU's memory" + (array->freed ? ", which was freed" : "");
  else
    text += " the GPU's memory";
  return text + "; cudaMemcpy copies between it and the host's";
}

void report_fault(int signal, siginfo_t* info, void* data) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (current_lane != nullptr || users > 0 || !device_memory().contains(address)) {
    ::signal(signal, SIG_DFL);  // the instruction is run again, and ends the process
    return;
  }
  const auto& context = *static_cast<const ucontext_t*>(data);
  const SourcePlace place = place_of_fault(instruction_of(context));
  const std::string where = place.file.empty() ? "" : place.file + ":" + std::to_string(place.line) + ": ";
  report_finding(where + "error: " + text_of(address, context));
  std::fflush(nullptr);
  ::_exit(1);
}

/// A stack of its own: a fault may be that the stack is full.
void catch_faults() {
  constexpr std::size_t stack_bytes = std::size_t{1} << 20;
  void* const stack =
      ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) return;
  stack_t other = {};
  other.ss_sp = stack;
  other.ss_size = stack_bytes;
  ::sigaltstack(&other, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = report_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGSEGV, &action, nullptr);
  std::array<void*, 1> frame{};
  ::backtrace(frame.data(), 1);  // loads what it needs, which a handler should not
}

}  // namespace

void refuse_host_access() {
  if (refuses.exchange(true)) return;
  catch_faults();
  device_memory().let_host_access(false);
}

DeviceAccess::DeviceAccess() {
  if (users++ == 0 && refuses) device_memory().let_host_access(true);
}

DeviceAccess::~DeviceAccess() {
  if (--users == 0 && refuses) device_memory().let_host_access(false);
}

}  // namespace simt
