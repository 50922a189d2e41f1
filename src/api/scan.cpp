// Scans: validate, plan, let the backend scan.
#include "foldline/scan.hpp"

#include <string>

#include "api/async_checks.hpp"
#include "api/dispatch.hpp"
#include "api/overlap.hpp"
#include "api/running_scan_state.hpp"
#include "api/scan_checks.hpp"
#include "api/validate.hpp"
#include "contract/async_backend.hpp"
#include "foldline/async.hpp"
#include "foldline/error.hpp"

namespace foldline {

void validate_scan(const char* operation, const VectorView& x, const MutableVectorView& out) {
  validate_view(operation, x, "x");
  validate_view(operation, out, "out");
  if (x.size() != out.size())
    refuse(operation, "the vectors must have the same size, but x has " + std::to_string(x.size()) +
                          " and out " + std::to_string(out.size()) + " elements");
  if (x.size() == 0) return;
  if (out.stride() == 0 && out.size() > 1)
    refuse(operation, "vector out has stride 0, so its " + std::to_string(out.size()) +
                          " elements are one; results need a place each");
  const bool in_place = x.data() == out.data() && x.stride() == out.stride() && x.type() == out.type();
  if (!in_place && have_common_memory(x, out))
    refuse(operation,
           "x and out overlap; out must be x itself (same data, stride and type) or share no memory with it");
}

// Integer results need an exact sum that is always an integer.
void validate_scan_types(const char* operation, ElementType x, const ScanState& state, ElementType out) {
  if (is_floating(out)) return;
  const std::string remedy = ", but out is " + std::string(name_of(out)) + "; ask for a floating-point type";
  if (is_floating(x))
    refuse(operation, "sums of " + std::string(name_of(x)) + " are no whole numbers in general" + remedy);
  if (state.specials.any() || !state.prefix.is_integer())
    refuse(operation, "what the sums begin with is no whole number" + remedy);
}

void refuse_overflow(const char* operation, std::int64_t result, ElementType type) {
  throw OverflowError(std::string(operation) + ": result " + std::to_string(result) + " does not fit " +
                          std::string(name_of(type)),
                      std::string("ask for a floating-point type") +
                          (size_of(type) < 8 ? " or a wider one" : "") +
                          ", or with Overflow::wrap for results modulo 2^" +
                          std::to_string(type == ElementType::boolean ? 1 : 8 * size_of(type)) +
                          "; out was written to in part",
                      true);
}

namespace {

void run(const char* operation, const VectorView& x, const MutableVectorView& out, bool exclusive,
         const Context& context, ScanState& state) {
  validate_scan(operation, x, out);
  validate_scan_types(operation, x.type(), state, out.type());
  const std::int64_t overflow =
      scan({.x = x, .out = out, .exclusive = exclusive, .overflow = context.overflow},
           on_present_device(plan_scan(x.type(), x.size(), context)), context, state);
  if (overflow != no_result) refuse_overflow(operation, overflow, out.type());
}

/// The same without waiting.
void put(const char* operation, const VectorView& x, const MutableVectorView& out, bool exclusive,
         const async::Queue& queue, const Context& context, const ScanState& before) {
  validate_scan(operation, x, out);
  validate_scan_types(operation, x.type(), before, out.type());
  require_async(operation, queue, context, x.type(), out.type());
  // A sum of 126 bits plus any elements fits 128. Larger sums are fine only if results wrap.
  if (!is_floating(out.type()) && context.overflow == Overflow::error && before.prefix.bound() > 126)
    refuse_overflow(operation, 0, out.type());
  cuda::scan_async({.x = x, .out = out, .exclusive = exclusive, .overflow = context.overflow}, before,
                   context.accuracy, queue);
}

}  // namespace

ScanState state_after(const Scalar& init) {
  if (!is_known(init.type())) refuse("exclusive_scan", "init has an unknown element type");
  ScanState state;
  if (is_floating(init.type()))
    state.add(init.floating());
  else
    state.add_integer(is_signed(init.type()) ? Int128{init.signed_integer()}
                                             : Int128{init.unsigned_integer()});
  return state;
}

void inclusive_scan(const VectorView& x, const MutableVectorView& out, const Context& context) {
  ScanState state;
  run("inclusive_scan", x, out, false, context, state);
}

void exclusive_scan(const VectorView& x, const MutableVectorView& out, const Scalar& init,
                    const Context& context) {
  ScanState state = state_after(init);
  run("exclusive_scan", x, out, true, context, state);
}

void async::inclusive_scan(const VectorView& x, const MutableVectorView& out, const Queue& queue,
                           const Context& context) {
  put("inclusive_scan", x, out, false, queue, context, ScanState());
}

void async::exclusive_scan(const VectorView& x, const MutableVectorView& out, const Scalar& init,
                           const Queue& queue, const Context& context) {
  put("exclusive_scan", x, out, true, queue, context, state_after(init));
}

RunningScan::RunningScan(ScanKind kind, const Scalar& init)
    : state_(std::make_unique<State>(
          State{kind, kind == ScanKind::exclusive ? state_after(init) : ScanState()})) {}
RunningScan::RunningScan(const RunningScan& other) : state_(std::make_unique<State>(*other.state_)) {}
RunningScan::RunningScan(RunningScan&& other) noexcept = default;
RunningScan& RunningScan::operator=(const RunningScan& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}
RunningScan& RunningScan::operator=(RunningScan&& other) noexcept = default;
RunningScan::~RunningScan() = default;

void RunningScan::next(const VectorView& x, const MutableVectorView& out, const Context& context) {
  ScanState sums = state_->sums;  // an error leaves the sums unchanged
  run("RunningScan::next", x, out, state_->kind == ScanKind::exclusive, context, sums);
  state_->sums = sums;
}

}  // namespace foldline
