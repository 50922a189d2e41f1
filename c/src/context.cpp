// Contexts and devices.
#include "arguments.hpp"
#include "calls.hpp"
#include "foldline/device.hpp"

using namespace foldline;
using c::call, c::chosen, c::hand_out, c::required;

foldline_status foldline_context_create(foldline_context** context) {
  return call([&] { hand_out(context); });
}

void foldline_context_destroy(foldline_context* context) { delete context; }

foldline_status foldline_context_set_accuracy(foldline_context* context, std::int32_t accuracy) {
  return call(
      [&] { required(context, "the context").cpp.accuracy = chosen<Accuracy>(accuracy, 2, "accuracy"); });
}

foldline_status foldline_context_set_overflow(foldline_context* context, std::int32_t overflow) {
  return call([&] {
    required(context, "the context").cpp.overflow = chosen<Overflow>(overflow, 2, "way to treat an overflow");
  });
}

foldline_status foldline_context_set_threads(foldline_context* context, std::int32_t threads) {
  return call([&] {
    if (threads < 0 || threads > 4096)
      throw InvalidArgument("foldline: " + std::to_string(threads) + " threads; give 0 to 4096");
    required(context, "the context").cpp.execution.threads = threads;
  });
}

foldline_status foldline_context_set_device(foldline_context* context, std::int32_t kind,
                                            std::int32_t index) {
  return call([&] {
    const Device device = {chosen<Device::Kind>(kind, 2, "kind of device"), index};
    require_device(device);
    required(context, "the context").cpp.execution.device = device;
  });
}

foldline_status foldline_context_set_stream(foldline_context* context, void* stream) {
  return call([&] { required(context, "the context").cpp.execution.stream = stream; });
}

foldline_status foldline_gpu_count(std::int32_t* count) {
  return call([&] { required(count, "the count's address") = static_cast<std::int32_t>(gpus().size()); });
}
