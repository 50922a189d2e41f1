// Plans how a call is carried out: a pure function of the problem, the machine and the context.
#include "foldline/plan.hpp"

#include <algorithm>
#include <string>

#include "api/validate.hpp"
#include "contract/backend.hpp"
#include "foldline/detail/parallel.hpp"
#include "foldline/error.hpp"

namespace foldline {

namespace {

// Bytes that a thread takes at a time: long enough that taking them costs nothing, short enough that a thread
// on a busy core does not delay the others.
constexpr std::int64_t sum_part_bytes = std::int64_t{1} << 20;
// A scan reads each part twice: the second time it must still be in a nearby cache.
constexpr std::int64_t scan_part_bytes = std::int64_t{1} << 20;
// A multiple of every target's tile. Accuracy::fast rounds once per tile, so tiles must not depend on the
// number of threads.
constexpr std::int64_t common_tile = 2048;

const std::vector<Target>& targets() {
  static const std::vector<Target> list = cpu::compiled_targets();
  return list;
}

// Shorter vectors are faster with half as wide vectors: fewer lanes to add at the end (Zen 4, 64 doubles: 66
// instead of 76 ns; 48: 64 instead of 93).
constexpr std::int64_t short_size = 64;

Target best_target(std::int64_t size) {
  static const Target best = targets().front();
  static const bool has_avx2 = std::find(targets().begin(), targets().end(), Target::avx2) != targets().end();
  return size <= short_size && has_avx2 ? Target::avx2 : best;
}

Target choose_target(std::string_view operation, std::int64_t size, const Context& context) {
  if (context.execution.target == Target::automatic) return best_target(size);
  if (std::find(targets().begin(), targets().end(), context.execution.target) != targets().end())
    return context.execution.target;
  std::string message = std::string(operation) + ": the target '" +
                        std::string(name_of(context.execution.target)) +
                        "' is not available on this machine; it has";
  for (const Target target : targets()) message += ' ' + std::string(name_of(target));
  throw InvalidArgument(message);
}

/// Rounds a number of elements up to whole tiles where these show in the results.
std::int64_t part_of(std::int64_t elements, Accuracy accuracy) {
  return accuracy == Accuracy::exact ? elements : (elements - 1) / common_tile * common_tile + common_tile;
}

std::int64_t choose_part(std::int64_t size, ElementType type, int threads, Accuracy accuracy) {
  return part_of(std::min((size - 1) / threads + 1, sum_part_bytes / size_of(type)), accuracy);
}

/// On a GPU the kernel partitions the work, and CPU instruction sets do not matter.
Plan plan_on_gpu(std::string_view operation, std::int64_t size, const Context& context) {
  if (context.execution.target != Target::automatic) (void)choose_target(operation, size, context);
  return {Target::automatic, 1, context.accuracy, size, context.execution.device};
}

}  // namespace

std::vector<Target> available_targets() { return targets(); }

std::string_view name_of(Target target) {
  switch (target) {
    case Target::automatic:
      return "auto";
    case Target::portable:
      return "portable";
    case Target::avx2:
      return "avx2";
    case Target::avx512:
      return "avx512";
    case Target::neon:
      return "neon";
  }
  return "unknown";
}

Plan plan(Operation operation, ElementType type, std::int64_t size, const Context& context) {
  // Larger sizes cannot exist in memory; they are capped to avoid overflow.
  const std::int64_t bytes = std::min(size, INT64_MAX / 8) * size_of(type);
  if (context.execution.device.kind == Device::Kind::cuda)
    return plan_on_gpu(name_of(operation), size, context);
  const Target target = choose_target(name_of(operation), size, context);
  const int threads = detail::choose_threads(name_of(operation), bytes, size, context.execution);
  if (threads == 1) return {target, 1, context.accuracy, size};
  // No more threads than parts: an idle thread would be woken for nothing.
  const std::int64_t part = choose_part(size, type, threads, context.accuracy);
  return {target, static_cast<int>(std::min<std::int64_t>(threads, (size - 1) / part + 1)), context.accuracy,
          part};
}

Plan plan_scan(ElementType type, std::int64_t size, const Context& context) {
  const std::int64_t bytes = std::min(size, INT64_MAX / 8) * size_of(type);
  if (context.execution.device.kind == Device::Kind::cuda) return plan_on_gpu("scan", size, context);
  const Target target = choose_target("scan", size, context);
  const int threads = detail::choose_threads("scan", bytes, size, context.execution);
  if (threads == 1) return {target, 1, context.accuracy, size};
  // The same number of parts for each thread, so that none waits for the others at the end.
  const std::int64_t rounds = (size - 1) / (threads * (scan_part_bytes / size_of(type))) + 1;
  const std::int64_t part = part_of((size - 1) / (threads * rounds) + 1, context.accuracy);
  return {target, static_cast<int>(std::min<std::int64_t>(threads, (size - 1) / part + 1)), context.accuracy,
          part};
}

Plan plan_matrix_product(ElementType type, std::int64_t rows, std::int64_t columns, std::int64_t depth,
                         const Context& context) {
  // The work decides the number of threads: a multiply-add takes no longer than reading a byte from memory.
  const std::int64_t most = INT64_MAX / 8;
  const auto times = [](std::int64_t x, std::int64_t y) { return y != 0 && x > most / y ? most : x * y; };
  const std::int64_t entries = times(rows, columns);
  const std::int64_t bytes = times(entries, depth);  // in effect
  if (context.execution.device.kind == Device::Kind::cuda)
    return plan_on_gpu("matrix_product", depth, context);
  const Target target = choose_target("matrix_product", depth, context);
  return {target, detail::choose_threads("matrix_product", bytes, entries, context.execution),
          context.accuracy, std::min(depth, most / size_of(type))};
}

std::string explain(const Plan& plan, Operation operation, ElementType type, std::int64_t size) {
  if (plan.device.kind == Device::Kind::cuda)
    return std::string(name_of(operation)) + " of " + std::to_string(size) + ' ' +
           std::string(name_of(type)) + " on " + name_of(plan.device) +
           ", exact: every thread adds batches in bins that begin at the largest element its block sees "
           "first; a batch "
           "that does not fit gets a window of its own, and the rest goes to limbs. One kernel; the counts "
           "are rounded once.";
  const bool one_thread = plan.threads == 1;
  std::string text = std::string(name_of(operation)) + " of " + std::to_string(size) + ' ' +
                     std::string(name_of(type)) + " on the CPU: " + std::string(name_of(plan.target)) + ", " +
                     std::to_string(plan.threads) + (one_thread ? " thread, " : " threads, ");
  if (!is_floating(type)) return text + "exact: integers are added as integers, which cannot overflow.";
  text +=
      plan.accuracy == Accuracy::exact
          ? "exact: tiles are added in bins (or slices, for products of doubles) that begin at the largest "
            "element; a tile "
            "that does not fit is done again with more levels, and the rest goes through buckets by exponent"
          : "fast: an ordinary sum within a tile, exact across tiles";
  return text + '.';
}

}  // namespace foldline
