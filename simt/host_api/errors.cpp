// Errors: the last one, names and texts.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>

#include "devices/device_state.hpp"

namespace {

struct Text {
  cudaError_t error;
  const char *name, *text;
};

/// The entry of an error: its value, its name, and what it means.
#define SIMT_ERROR(name, text) \
  Text { name, #name, text }

constexpr std::array texts = {
    SIMT_ERROR(cudaSuccess, "no error"),
    SIMT_ERROR(cudaErrorInvalidValue, "invalid argument"),
    SIMT_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    SIMT_ERROR(cudaErrorInitializationError, "initialization error"),
    SIMT_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    SIMT_ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    SIMT_ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    SIMT_ERROR(cudaErrorInvalidTexture, "invalid texture reference"),
    SIMT_ERROR(cudaErrorInvalidTextureBinding, "texture is not bound to a pointer"),
    SIMT_ERROR(cudaErrorInvalidChannelDescriptor, "invalid channel descriptor"),
    SIMT_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    SIMT_ERROR(cudaErrorInvalidFilterSetting, "invalid filter mode"),
    SIMT_ERROR(cudaErrorInvalidNormSetting, "invalid normalized texture read"),
    SIMT_ERROR(cudaErrorInsufficientDriver, "driver older than the runtime"),
    SIMT_ERROR(cudaErrorMissingConfiguration, "no configuration for a launch"),
    SIMT_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    SIMT_ERROR(cudaErrorNoDevice, "no CUDA-capable device"),
    SIMT_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    SIMT_ERROR(cudaErrorNoKernelImageForDevice, "no kernel image for this device"),
    SIMT_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    SIMT_ERROR(cudaErrorNotReady, "device not ready"),
    SIMT_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    SIMT_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    SIMT_ERROR(cudaErrorLaunchTimeout, "the launch timed out"),
    SIMT_ERROR(cudaErrorAssert, "an assert of device code failed"),
    SIMT_ERROR(cudaErrorHostMemoryAlreadyRegistered, "memory is registered already"),
    SIMT_ERROR(cudaErrorHostMemoryNotRegistered, "memory is not registered"),
    SIMT_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    SIMT_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    SIMT_ERROR(cudaErrorCooperativeLaunchTooLarge, "too many blocks in a cooperative launch"),
    SIMT_ERROR(cudaErrorNotSupported, "operation not supported"),
    SIMT_ERROR(cudaErrorUnknown, "unknown error"),
};  // namespace
#undef SIMT_ERROR

const Text* text_of(cudaError_t error) {
  const auto* const found = std::ranges::find(texts, error, &Text::error);
  return found == texts.end() ? nullptr : found;
}

}  // namespace

cudaError_t cudaGetLastError() { return simt::last_error(false); }
cudaError_t cudaPeekAtLastError() { return simt::last_error(true); }

const char* cudaGetErrorName(cudaError_t error) {
  const Text* const text = text_of(error);
  return text == nullptr ? "unrecognized error code" : text->name;
}

const char* cudaGetErrorString(cudaError_t error) {
  const Text* const text = text_of(error);
  return text == nullptr ? "unrecognized error code" : text->text;
}
