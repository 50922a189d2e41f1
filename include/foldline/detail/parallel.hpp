/// @file
/// Threads for the templates of generic.hpp: compiled into the library, so that headers need no OpenMP.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string_view>

#include "foldline/context.hpp"
#include "foldline/export.hpp"

namespace foldline::detail {

/// How many threads are worth it for `size` elements of together `bytes`: what is asked for (at most
/// one thread per element), or as many as gain from it; 1 inside someone else's parallel region. Throws
/// InvalidArgument, which begins with `caller`, if a number is asked for that makes no sense.
FOLDLINE_API int choose_threads(std::string_view caller, std::int64_t bytes, std::int64_t size,
                                const Execution& execution);

/// Calls task(data, part) once for each part in [0, parts), on up to `threads` threads, each with the
/// caller's floating-point environment (rounding mode, flush-to-zero). Parts are handed out in increasing
/// order, so a task may wait for one with a lower number. If a task throws, no further parts are begun, and
/// of the exceptions the one of the lowest part is rethrown: the same one for any number of threads.
FOLDLINE_API void run_parts(std::int64_t parts, int threads,
                            void (*task)(const void* data, std::int64_t part), const void* data);

template <std::invocable<std::int64_t> Task>
void run_parts(std::int64_t parts, int threads, const Task& task) {
  const auto call = [](const void* data, std::int64_t part) { (*static_cast<const Task*>(data))(part); };
  run_parts(parts, threads, call, std::addressof(task));
}

}  // namespace foldline::detail
