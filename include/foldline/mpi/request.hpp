/// @file
/// Calls that do not wait for the other ranks.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "foldline/error.hpp"
#include "foldline/mpi/detail/channel.hpp"
#include "foldline/mpi/error.hpp"

namespace foldline::mpi {

template <class Result>
class Request;

namespace detail {

/// Where a call stands: it waits for requests of MPI, or is done.
struct Progress {
  Requests requests;
  int code = MPI_SUCCESS;  ///< of the last ones
  std::exception_ptr failure;

  static std::suspend_never initial_suspend() noexcept { return {}; }
  static std::suspend_always final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { failure = std::current_exception(); }
  /// co_await requests: goes on when they are complete; throws Error if one fails.
  auto await_transform(Requests started) noexcept {
    requests = std::move(started);
    struct Awaiter : std::suspend_always {
      Progress& progress;
      void await_resume() const { check(progress.code, "MPI_Waitall"); }
    };
    return Awaiter{{}, *this};
  }
};

/// Calls of this thread that are not at their end. Whoever waits for one takes the steps of all: another rank
/// may be waiting for those first.
struct Pending {
  std::coroutine_handle<> call;
  Progress* progress;

  /// Takes the next steps that can be taken; with `waits` not before one can.
  void advance(bool waits) const {
    while (!call.done()) {
      int is_complete = 1;
      const int count = static_cast<int>(progress->requests.size());
      MPI_Request* const all = progress->requests.data();
      progress->code = waits ? MPI_Waitall(count, all, MPI_STATUSES_IGNORE)
                             : MPI_Testall(count, all, &is_complete, MPI_STATUSES_IGNORE);
      if (progress->code == MPI_SUCCESS && is_complete == 0) return;
      call.resume();
    }
  }
  static std::vector<Pending>& all() {
    static thread_local std::vector<Pending> calls;
    return calls;
  }
  /// Takes steps of all until this one is done.
  static void finish(std::coroutine_handle<> call) {
    while (!call.done()) {
      std::erase_if(all(), [](const Pending& one) { return one.call.done(); });
      const bool is_alone = all().size() == 1;
      for (std::size_t i = 0; i < all().size(); ++i) all()[i].advance(is_alone);
      if (!is_alone) std::this_thread::yield();
    }
  }
};

/// What the call returns.
template <class Result>
struct Outcome : Progress {
  std::optional<Result> result;
  void return_value(Result value) { result.emplace(std::move(value)); }
  Result take() { return std::move(*result); }
};
template <>
struct Outcome<void> : Progress {
  void return_void() noexcept {}
  void take() noexcept {}
};

}  // namespace detail

/// A collective call that goes on while this rank does something else. Calls of arrays take several steps,
/// and take them only in test() and wait() of this or another request of the thread: what the program
/// computes in between hides the time of messages, not that of sums over ranks. A rank that waits for an
/// array needs the others to come to test() or wait(), too; so between start and end no rank may wait for
/// others elsewhere, unless all do. Movable; the thread that made the call uses it.
///
/// Every rank must end it: by wait(), by test() until that returns true, or by the destructor, which waits as
/// wait() does and drops result and errors. So a rank that an exception takes out of a scope still does its
/// part, and no message comes into memory that is gone.
template <class Result>
class [[nodiscard]] Request {
 public:
  /// What the language asks of a coroutine that returns a Request; not for callers.
  struct promise_type : detail::Outcome<Result> {
    /// The request for the call that begins.
    Request get_return_object() { return Request(std::coroutine_handle<promise_type>::from_promise(*this)); }
  };

  /// @{ What was moved from is empty.
  Request(Request&& other) noexcept : call_(std::exchange(other.call_, nullptr)) {}
  Request& operator=(Request&& other) noexcept {
    std::swap(call_, other.call_);
    return *this;
  }
  /// @}
  ~Request() {
    if (!call_) return;
    int is_finalised = 0;
    MPI_Finalized(&is_finalised);
    if (is_finalised == 0) detail::Pending::finish(call_);
    std::erase_if(detail::Pending::all(), [this](const auto& one) { return one.call == call_; });
    call_.destroy();
  }

  /// Whether the call is done, so that wait() returns at once. Errors come from wait().
  bool test() {
    require_call();
    for (std::size_t i = 0; i < detail::Pending::all().size(); ++i) detail::Pending::all()[i].advance(false);
    return call_.done();
  }

  /// Waits until the call is done; returns its result, or throws what the call that waits would have thrown,
  /// on every rank the same. Once: the request is empty after it. Throws InvalidArgument if it is empty.
  Result wait() {
    require_call();
    detail::Pending::finish(call_);
    Request ended(std::move(*this));
    auto& outcome = ended.call_.promise();
    if (outcome.failure) std::rethrow_exception(outcome.failure);
    return outcome.take();
  }

 private:
  explicit Request(std::coroutine_handle<promise_type> call) : call_(call) {
    detail::Pending::all().push_back({call, &call.promise()});
  }

  void require_call() const {
    if (!call_)
      throw InvalidArgument(
          "foldline::mpi: the request is empty: its result was taken, or it was moved from");
  }

  std::coroutine_handle<promise_type> call_;
};

}  // namespace foldline::mpi
