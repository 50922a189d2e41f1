// Copies from the memory of a GPU to the host's and back, for what is computed on the host alone. They wait.
#include <limits>
#include <string>

#include "errors.hpp"
#include "gpu_array.hpp"
#include "gpu_streams.hpp"
#include "threads.hpp"

namespace foldline::python {

namespace {

void copy_and_wait(void* to, const void* from, std::size_t bytes, const GpuArray& of) {
  if (bytes == 0) return;
  const WithoutLock unlocked(std::numeric_limits<std::int64_t>::max());
  const CurrentDevice current(of.device);
  const auto stream = static_cast<cudaStream_t>(of.stream);
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "copying elements");
  check_cuda(cudaStreamSynchronize(stream), "waiting for elements");
}

void refuse_capture(const GpuArray& x, const char* caller) {
  const CurrentDevice current(x.device);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check_cuda(cudaStreamIsCapturing(static_cast<cudaStream_t>(x.stream), &status), "asking for a graph");
  if (status != cudaStreamCaptureStatusNone)
    raise(PyExc_ValueError,
          std::string(caller) + ": computes on the host, which a CUDA graph cannot wait for");
}

Array host_copy(const GpuArray& given, const char* caller) {
  const GpuArray x = dense(given, caller);
  npy_intp bytes = static_cast<npy_intp>(x.size * size_of(x.type));
  Array copy;
  copy.owner = take(PyArray_SimpleNew(1, &bytes, NPY_UINT8));
  copy.data = static_cast<const std::byte*>(PyArray_DATA(as_array(copy.owner)));
  copy.type = x.type;
  copy.shape = x.shape;
  copy.strides = row_major_strides(x.shape);
  for (std::int64_t& stride : copy.strides) stride *= size_of(x.type);
  copy.size = x.size;
  copy_and_wait(PyArray_DATA(as_array(copy.owner)), x.data, static_cast<std::size_t>(bytes), x);
  return copy;
}

}  // namespace

std::vector<Array> copied_to_host(const std::vector<nb::handle>& given, const char* caller) {
  std::vector<GpuArray> arrays;
  for (const nb::handle x : given) {
    arrays.push_back(gpu_array_from(x, caller));
    require_one_device(arrays.front(), arrays.back(), caller);
  }
  refuse_capture(arrays.front(), caller);
  std::vector<Array> copies;
  for (const GpuArray& x : arrays) copies.push_back(host_copy(x, caller));
  return copies;
}

nb::object copied_to_gpu(nb::handle array, nb::handle like, const char* caller) {
  const GpuArray giver = gpu_array_from(like, caller);
  const Array from = array_from_numpy(nb::borrow(array), caller);
  GpuOutput output(giver, from.shape, from.type, caller);
  copy_and_wait(output.data(), from.data, static_cast<std::size_t>(from.size * size_of(from.type)), giver);
  return output.finish();
}

}  // namespace foldline::python
