// A thread of the simulated device: a stack of its own, and a place in the program to go on from.
#pragma once

#include <boost/context/detail/fcontext.hpp>

#include <cstddef>
#include <cstdint>

namespace simt {

/// What a thread of a kernel has for its own variables.
constexpr std::size_t stack_bytes = std::size_t{64} << 10;

/// Stacks of the threads of one block.
class Stacks {
 public:
  explicit Stacks(std::size_t count);
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  std::uintptr_t begin_of(std::size_t thread) const { return begin_ + thread * stack_bytes; }

 private:
  std::uintptr_t begin_ = 0;
  std::size_t bytes_ = 0;
};

class Fiber {
 public:
  /// Does something that needs more stack than a fiber has, on the stack of whoever has resumed it.
  template <class Action>
  static void on_large_stack(Action action) {
    ask([](void* data) { (*static_cast<Action*>(data))(); }, &action);
  }

  /// `thread` varies where the stack begins, because stacks at the same place of pages share lines of the
  /// cache.
  void start(std::uintptr_t stack, std::size_t thread, void (*body)(void*), void* argument);
  /// Runs it until it pauses or its body has ended.
  void resume();
  /// From within the running fiber: back to where it was resumed.
  static void pause();

 private:
  static void ask(void (*action)(void*), void* data);

  boost::context::detail::fcontext_t context_ = nullptr;
};

}  // namespace simt
