#include "runtime/fiber.hpp"

#include <sys/mman.h>

#include <new>
#include <utility>

namespace simt {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

struct Start {
  void (*body)(void*);
  void* argument;
};

/// Where the fiber that runs was resumed; null while none runs.
boost::context::detail::fcontext_t resumed_at = nullptr;

/// What the fiber that has paused wants to be done before it goes on.
void (*asked)(void*) = nullptr;
void* asked_data = nullptr;

void run_body(transfer_t from) {
  resumed_at = from.fctx;
  const Start start = *static_cast<const Start*>(from.data);
  resumed_at = jump_fcontext(resumed_at, nullptr).fctx;
  start.body(start.argument);
  for (;;) Fiber::pause();
}

}  // namespace

Stacks::Stacks(std::size_t count) : bytes_(count * stack_bytes) {
  void* const memory =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  begin_ = reinterpret_cast<std::uintptr_t>(memory);
  // The first block's are used by most others, too, one after the other: large pages save time there.
  static bool is_first = true;
  if (std::exchange(is_first, false)) madvise(memory, bytes_, MADV_HUGEPAGE);
}

Stacks::~Stacks() { munmap(reinterpret_cast<void*>(begin_), bytes_); }

void Fiber::start(std::uintptr_t stack, std::size_t thread, void (*body)(void*), void* argument) {
  const std::size_t colour = thread % 61 * 192;
  context_ =
      make_fcontext(reinterpret_cast<void*>(stack + stack_bytes - colour), stack_bytes - colour, run_body);
  Start start{body, argument};
  context_ = jump_fcontext(context_, &start).fctx;
  resumed_at = nullptr;
}

void Fiber::resume() {
  for (;;) {
    context_ = jump_fcontext(context_, nullptr).fctx;
    resumed_at = nullptr;
    if (asked == nullptr) return;
    std::exchange(asked, nullptr)(asked_data);
  }
}

void Fiber::pause() { resumed_at = jump_fcontext(resumed_at, nullptr).fctx; }

void Fiber::ask(void (*action)(void*), void* data) {
  if (resumed_at == nullptr) return action(data);
  asked = action;
  asked_data = data;
  pause();
}

}  // namespace simt
