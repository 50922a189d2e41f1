// The host's functions of CUDA's runtime: what they do, and what they refuse, as CUDA does.
#include <channel_descriptor.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <simt/simt.hpp>
#include <string>
#include <vector>

#include "devices/device_state.hpp"
#include "memory/memory.hpp"
#include "memory/textures.hpp"

namespace simt {
namespace {

class HostApi : public ::testing::Test {
 protected:
  void SetUp() override {
    options().device = default_device();
    cudaGetLastError();
  }
};

/// Expects an error, that it is the last one, and a word of why.
void expect_refusal(cudaError_t found, cudaError_t expected, const std::string& word) {
  EXPECT_EQ(found, expected) << cudaGetErrorName(found);
  EXPECT_NE(why_last_error().find(word), std::string::npos) << why_last_error();
  EXPECT_EQ(cudaPeekAtLastError(), expected);
  EXPECT_EQ(cudaGetLastError(), expected);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(HostApi, CopiesThereAndBack) {
  std::vector<int> in(1000), out(1000);
  std::iota(in.begin(), in.end(), 1);
  int *a = nullptr, *b = nullptr;
  ASSERT_EQ(cudaMalloc(&a, 4000), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&b, 4000), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(a, in.data(), 4000, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(b, a, 4000, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(out.data(), b, 4000, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(in, out);
  EXPECT_EQ(cudaMemset(a, 0xff, 4000), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(out.data(), a, 4000, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out, std::vector<int>(1000, -1));
  EXPECT_EQ(cudaFree(a), cudaSuccess);
  EXPECT_EQ(cudaFree(b), cudaSuccess);
}

TEST_F(HostApi, KeepsWhichBytesHaveAValue) {
  char *a = nullptr, *b = nullptr;
  cudaMalloc(&a, 100);
  cudaMalloc(&b, 100);
  const std::uintptr_t of_a = reinterpret_cast<std::uintptr_t>(a), of_b = reinterpret_cast<std::uintptr_t>(b);
  cudaMemset(a + 10, 0, 20);
  EXPECT_FALSE(device_memory().has_values(of_a, 11));
  EXPECT_TRUE(device_memory().has_values(of_a + 10, 20));
  EXPECT_FALSE(device_memory().has_values(of_a + 30, 1));
  cudaMemcpy(b, a, 100, cudaMemcpyDeviceToDevice);
  EXPECT_TRUE(device_memory().has_values(of_b + 10, 20));
  EXPECT_FALSE(device_memory().has_values(of_b + 9, 1));
  const std::vector<char> host(5);
  cudaMemcpy(b, host.data(), 5, cudaMemcpyHostToDevice);
  EXPECT_TRUE(device_memory().has_values(of_b, 5));
  cudaFree(a);
  cudaFree(b);
}

TEST_F(HostApi, RefusesCopiesThatDoNotFit) {
  std::vector<int> host(100);
  int* a = nullptr;
  cudaMalloc(&a, 100);
  expect_refusal(cudaMemcpy(a, host.data(), 101, cudaMemcpyHostToDevice), cudaErrorInvalidValue, "100 bytes");
  expect_refusal(cudaMemcpy(host.data(), a + 1, 100, cudaMemcpyDeviceToHost), cudaErrorInvalidValue,
                 "byte 103");
  expect_refusal(cudaMemset(a, 0, 101), cudaErrorInvalidValue, "cudaMemset");
  cudaFree(a);
  expect_refusal(cudaMemcpy(a, host.data(), 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue, "freed");
}

TEST_F(HostApi, RefusesTheWrongDirection) {
  std::vector<int> host(100);
  int* a = nullptr;
  cudaMalloc(&a, 400);
  expect_refusal(cudaMemcpy(host.data(), a, 400, cudaMemcpyHostToDevice), cudaErrorInvalidValue,
                 "not memory of the device");
  expect_refusal(cudaMemcpy(host.data(), host.data(), 400, cudaMemcpyDeviceToHost), cudaErrorInvalidValue,
                 "source");
  expect_refusal(cudaMemcpy(a, host.data(), 4, static_cast<cudaMemcpyKind>(7)),
                 cudaErrorInvalidMemcpyDirection, "direction");
  expect_refusal(cudaMemcpy(a, nullptr, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue, "null");
  cudaFree(a);
}

TEST_F(HostApi, CopiesRowsOfMatrices) {
  const std::vector<char> host = {1, 2, 3, 4, 5, 6};
  char* a = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&a, &pitch, 3, 2), cudaSuccess);
  EXPECT_GE(pitch, 3u);
  EXPECT_EQ(cudaMemcpy2D(a, pitch, host.data(), 3, 3, 2, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(a[pitch + 2], 6);
  std::vector<char> back(6);
  EXPECT_EQ(cudaMemcpy2D(back.data(), 3, a, pitch, 3, 2, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(back, host);
  expect_refusal(cudaMemcpy2D(a, 2, host.data(), 3, 3, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue,
                 "pitch");
  cudaFree(a);
}

TEST_F(HostApi, FreesWhatWasAllocated) {
  int* a = nullptr;
  cudaMalloc(&a, 4);
  EXPECT_EQ(cudaFree(a), cudaSuccess);
  expect_refusal(cudaFree(a), cudaErrorInvalidValue, "still allocated");
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&a, 0), cudaSuccess);
  EXPECT_EQ(a, nullptr);
}

TEST_F(HostApi, HasAsMuchMemoryAsTheDevice) {
  options().device.memory_bytes = 1 << 20;
  int* a = nullptr;
  expect_refusal(cudaMalloc(&a, (1 << 20) + 1), cudaErrorMemoryAllocation, "cudaMalloc");
  std::size_t free = 0, total = 0;
  EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  EXPECT_EQ(total, std::size_t{1} << 20);
}

TEST_F(HostApi, CopiesToAndFromVariables) {
  static int variable[4];
  const int in[3] = {1, 2, 3};
  EXPECT_EQ(cudaMemcpyToSymbol(variable, in, sizeof in, sizeof(int)), cudaSuccess);
  EXPECT_EQ(variable[1], 1);
  EXPECT_EQ(variable[3], 3);
  int out[4];
  EXPECT_EQ(cudaMemcpyFromSymbol(out, variable, sizeof out), cudaSuccess);
  EXPECT_EQ(std::memcmp(out, variable, sizeof out), 0);
  expect_refusal(cudaMemcpyToSymbol(variable, in, sizeof in, 2 * sizeof(int)), cudaErrorInvalidValue,
                 "20 bytes");
  void* address = nullptr;
  EXPECT_EQ(cudaGetSymbolAddress(&address, variable), cudaSuccess);
  EXPECT_EQ(cudaMemset(address, 0, sizeof variable), cudaSuccess);
  EXPECT_EQ(variable[3], 0);
}

TEST_F(HostApi, ReadsTexturesOverArraysAndLinearMemory) {
  const std::vector<int> in = {0, 2, 4, 6};
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array = nullptr;
  ASSERT_EQ(cudaMallocArray(&array, &format, 4), cudaSuccess);
  EXPECT_EQ(cudaMemcpyToArray(array, 0, 0, in.data(), 16, cudaMemcpyHostToDevice), cudaSuccess);
  expect_refusal(cudaMemcpyToArray(array, 4, 0, in.data(), 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue,
                 "array of 16");
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description{};
  cudaTextureObject_t texture = 0;
  ASSERT_EQ(cudaCreateTextureObject(&texture, &resource, &description, nullptr), cudaSuccess);
  EXPECT_EQ(sample_texture(*find_texture(texture), 2.5f).bits[0], 4u);
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);

  int* linear = nullptr;
  cudaMalloc(&linear, 16);
  cudaMemcpy(linear, in.data(), 16, cudaMemcpyHostToDevice);
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = linear;
  resource.res.linear.desc = format;
  resource.res.linear.sizeInBytes = 12;
  ASSERT_EQ(cudaCreateTextureObject(&texture, &resource, &description, nullptr), cudaSuccess);
  EXPECT_EQ(fetch_texel(*find_texture(texture), 2).bits[0], 4u);
  EXPECT_EQ(fetch_texel(*find_texture(texture), 3).count, 0) << "the texture ends in front of it";
  cudaFree(linear);
  expect_refusal(cudaCreateTextureObject(&texture, &resource, &description, nullptr), cudaErrorInvalidValue,
                 "no memory of the device");
  EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
}

TEST_F(HostApi, RefusesTexturesThatUnitsDoNotHave) {
  const cudaChannelFormatDesc doubles = {64, 0, 0, 0, cudaChannelFormatKindFloat};
  const cudaChannelFormatDesc three = {32, 32, 32, 0, cudaChannelFormatKindFloat};
  const cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
  cudaArray_t array = nullptr;
  expect_refusal(cudaMallocArray(&array, &doubles, 4), cudaErrorInvalidChannelDescriptor, "floats of 32");
  expect_refusal(cudaMallocArray(&array, &three, 4), cudaErrorInvalidChannelDescriptor, "1, 2 or 4");
  expect_refusal(cudaMallocArray(&array, &ints, 131073), cudaErrorInvalidValue, "131072");
  ASSERT_EQ(cudaMallocArray(&array, &ints, 4), cudaSuccess);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description{};
  cudaTextureObject_t texture = 0;
  description.filterMode = cudaFilterModeLinear;
  expect_refusal(cudaCreateTextureObject(&texture, &resource, &description, nullptr),
                 cudaErrorInvalidFilterSetting, "interpolated");
  description.readMode = cudaReadModeNormalizedFloat;
  expect_refusal(cudaCreateTextureObject(&texture, &resource, &description, nullptr),
                 cudaErrorInvalidNormSetting, "32 bits");
  options().device = *find_device("m2070");
  EXPECT_THROW(cudaCreateTextureObject(&texture, &resource, &description, nullptr), NotOnThisDevice);
  cudaFreeArray(array);
}

TEST_F(HostApi, BindsTextureReferences) {
  static texture<float, cudaTextureType1D> reference;
  const std::vector<float> in = {1, 2, 3};
  float* linear = nullptr;
  cudaMalloc(&linear, 12);
  cudaMemcpy(linear, in.data(), 12, cudaMemcpyHostToDevice);
  ASSERT_EQ(cudaBindTexture(nullptr, reference, linear), cudaSuccess);
  EXPECT_EQ(find_texture(reference.bound)->width, 3u) << "to the end of the array";
  EXPECT_EQ(cudaUnbindTexture(reference), cudaSuccess);
  EXPECT_EQ(find_texture(reference.bound), nullptr);
  cudaFree(linear);
}

TEST_F(HostApi, TakesTimesByEvents) {
  cudaEvent_t start = nullptr, stop = nullptr;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&stop), cudaSuccess);
  float milliseconds = -1;
  expect_refusal(cudaEventElapsedTime(&milliseconds, start, stop), cudaErrorInvalidResourceHandle,
                 "recorded");
  EXPECT_EQ(cudaEventRecord(start), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(stop, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(stop), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaSuccess);
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(cudaEventDestroy(stop), cudaSuccess);
  expect_refusal(cudaEventRecord(stop), cudaErrorInvalidResourceHandle, "no such event");
  cudaEventDestroy(start);
}

TEST_F(HostApi, KnowsItsStreams) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  int calls = 0;
  EXPECT_EQ(cudaLaunchHostFunc(stream, [](void* data) { ++*static_cast<int*>(data); }, &calls), cudaSuccess);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  expect_refusal(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle, "no such stream");
}

TEST_F(HostApi, DescribesTheDevice) {
  cudaDeviceProp properties;
  options().device = *find_device("m2070");
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_STREQ(properties.name, "Tesla M2070");
  EXPECT_EQ(properties.multiProcessorCount, 14);
  EXPECT_EQ(properties.major, 2);
  int value = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  EXPECT_EQ(value, 14);
  expect_refusal(cudaSetDevice(1), cudaErrorInvalidDevice, "no 1");
  int count = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 1);
}

TEST_F(HostApi, LimitsSharedMemoryUntilAskedForMore) {
  static const int kernel = 0;
  EXPECT_EQ(dynamic_shared_limit(&kernel), 48u * 1024);
  EXPECT_EQ(cudaFuncSetAttribute(&kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000), cudaSuccess);
  EXPECT_EQ(dynamic_shared_limit(&kernel), 100000u);
  expect_refusal(cudaFuncSetAttribute(&kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 * 1024),
                 cudaErrorInvalidValue, "232448");
  int blocks = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &kernel, 256, 100000), cudaSuccess);
  EXPECT_EQ(blocks, 2);
}

TEST_F(HostApi, NamesErrors) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidConfiguration), "cudaErrorInvalidConfiguration");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(12345)), "unrecognized error code");
}

}  // namespace
}  // namespace simt
