// In place of device_copy_cuda.cpp where the library is built without CUDA: there is no device to copy to.
#include <stdexcept>

#include "device_copy.hpp"

namespace cases {

DeviceCopy::DeviceCopy(std::span<const std::byte>, foldline::Device device) {
  throw std::runtime_error("this build has no " + name_of(device));
}

void DeviceCopy::fetch(std::span<std::byte>) const {}

}  // namespace cases
