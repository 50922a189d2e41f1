#include "api/async_checks.hpp"

#include <string>

#include "foldline/error.hpp"

namespace foldline {

namespace {
[[noreturn]] void refuse_async(std::string_view caller, const std::string& what) {
  throw InvalidArgument("async: " + std::string(caller) + ": " + what);
}
}  // namespace

void require_async(std::string_view caller, const async::Queue& queue, const Context& context,
                   ElementType elements, ElementType result) {
  if (context.execution != Execution{})
    refuse_async(caller, "the queue says where the work is done; leave the context's execution as it is");
  if (queue.workspace == nullptr)
    refuse_async(caller, "the queue has no workspace; make a DeviceWorkspace for the stream");
  const bool can_fail =
      !is_floating(result) && (context.overflow == Overflow::error || is_floating(elements));
  if (can_fail && queue.status == nullptr)
    refuse_async(caller, "a result may not fit " + std::string(name_of(result)) +
                             ", which nobody would learn of; set the queue's status, or ask for " +
                             (is_floating(elements) ? "" : "Overflow::wrap or ") + "a floating-point type");
}

}  // namespace foldline
