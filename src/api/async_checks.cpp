#include "api/async_checks.hpp"

#include <string>

#include "contract/backend.hpp"
#include "foldline/device_workspace.hpp"
#include "foldline/error.hpp"

namespace foldline {

namespace {
[[noreturn]] void refuse_async(std::string_view caller, const std::string& what) {
  throw InvalidArgument("async: " + std::string(caller) + ": " + what);
}
}  // namespace

void require_async(std::string_view caller, const Context& context, ElementType elements,
                   ElementType result) {
  if (context.device.kind != Device::Kind::cuda)
    refuse_async(caller, "runs on CUDA devices only, but the context says " + name_of(context.device));
  // A workspace has checked the device, which takes time.
  if (context.workspace == nullptr || context.workspace->device() != context.device) {
    cuda::require_device(context.device.index);
    if (context.workspace == nullptr)
      refuse_async(caller, "the context has no workspace; make a DeviceWorkspace for the stream");
    refuse_async(caller, "the workspace is on " + name_of(context.workspace->device()) +
                             ", but the context says " + name_of(context.device));
  }
  const bool can_fail =
      !is_floating(result) && (context.overflow == Overflow::error || is_floating(elements));
  if (can_fail && context.status == nullptr)
    refuse_async(caller, "a result may not fit " + std::string(name_of(result)) +
                             ", which nobody would learn of; set the context's status, or ask for " +
                             (is_floating(elements) ? "" : "Overflow::wrap or ") + "a floating-point type");
}

}  // namespace foldline
