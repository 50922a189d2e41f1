// Reductions of the elements that a mask takes: blocks of them are copied together, and added as vectors.
#include "foldline/where.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <string>

#include "api/validate.hpp"
#include "contract/backend.hpp"
#include "foldline/detail/parallel.hpp"
#include "foldline/plan.hpp"
#include "results/results.hpp"

namespace foldline {

namespace {

// Elements that are copied together: they stay in the first cache until they are added.
constexpr std::int64_t elements_at_a_time = 2048;

/// Copies the elements that are taken; returns how many.
template <class Word>
std::int64_t compress(const VectorView& x, const VectorView& where, std::int64_t first, std::int64_t count,
                      std::byte* to) {
  const std::byte* element = x.at(first);
  const std::byte* taken = where.at(first);
  const std::int64_t step = x.stride() * static_cast<std::int64_t>(sizeof(Word));
  std::int64_t size = 0;
  for (std::int64_t i = 0; i < count; ++i, element += step, taken += where.stride()) {
    std::memcpy(to + size * static_cast<std::int64_t>(sizeof(Word)), element, sizeof(Word));
    size += *taken != std::byte{0} ? 1 : 0;
  }
  return size;
}

std::int64_t compress_any(const VectorView& x, const VectorView& where, std::int64_t first,
                          std::int64_t count, std::byte* to) {
  switch (size_of(x.type())) {
    case 1:
      return compress<std::uint8_t>(x, where, first, count, to);
    case 2:
      return compress<std::uint16_t>(x, where, first, count, to);
    case 4:
      return compress<std::uint32_t>(x, where, first, count, to);
    default:
      return compress<std::uint64_t>(x, where, first, count, to);
  }
}

/// Adds the taken ones of the elements [first, end).
void add_taken(const Needs& needs, const VectorView& x, const VectorView& where, std::int64_t first,
               std::int64_t end, const Plan& plan, Moments& moments) {
  alignas(64) std::array<std::byte, elements_at_a_time * 8> taken;
  for (; first < end; first += elements_at_a_time) {
    const std::int64_t count =
        compress_any(x, where, first, std::min(elements_at_a_time, end - first), taken.data());
    if (count != 0)
      cpu::reduce({.needs = needs, .x = {taken.data(), x.type(), count}, .y = {}}, plan, moments);
  }
}

}  // namespace

std::int64_t reduce_where(Operation operation, const VectorView& x, const VectorView& where,
                          const MutableVectorView& result, const ReduceOptions& options,
                          const Context& context) {
  const std::string caller = "reduce_where: " + std::string(name_of(operation));
  if (!makes_one_number(operation))
    refuse(caller, "only operations that make one vector one number take a mask");
  validate_view(caller, x, "x");
  validate_view(caller, where, "where");
  validate_view(caller, result, "result");
  validate_result_type(operation, result.type());
  if (result.size() != 1) refuse(caller, "the result is one element, not " + std::to_string(result.size()));
  if (where.type() != ElementType::boolean && where.type() != ElementType::uint8)
    refuse(caller, "the mask is " + std::string(name_of(where.type())) + "; it must be bool or uint8");
  if (where.size() != x.size())
    refuse(caller,
           "the mask has " + std::to_string(where.size()) + " elements for " + std::to_string(x.size()));
  const std::int64_t ddof = checked_ddof(operation, options.ddof);
  require_cpu(caller, context.execution);
  const Plan all = plan(operation, x.type(), x.size(), context);
  Plan one = all;
  one.threads = 1;
  one.part = elements_at_a_time;
  Moments total;
  if (x.size() > 0) {
    const std::int64_t part = (all.part - 1) / elements_at_a_time * elements_at_a_time + elements_at_a_time;
    std::mutex merging;
    detail::run_parts((x.size() - 1) / part + 1, all.threads, [&](std::int64_t i) {
      Moments own;
      add_taken(needs_of(operation), x, where, i * part, std::min(x.size(), (i + 1) * part), one, own);
      const std::lock_guard lock(merging);
      total.merge(own);
    });
  }
  if (total.count > 0 || !needs_of(operation).extrema)
    rounded_result(total, operation, result.type(), ddof, context.overflow).visit([&](auto element) {
      std::memcpy(result.data(), &element, sizeof element);
    });
  return total.count;
}

}  // namespace foldline
