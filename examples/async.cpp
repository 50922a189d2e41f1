// Results that stay on the GPU: operations queued in a stream, then the same as a CUDA graph.
#include <cuda_runtime.h>
#include <foldline/foldline.hpp>

#include <cstdio>

int main() {
  if (foldline::gpus().empty()) {
    std::printf("no GPU here: %s\n", foldline::why_no_gpu().c_str());
    return 0;
  }
  constexpr std::int64_t n = 1'000'000;
  double *x = nullptr, *prefixes = nullptr, *result = nullptr;
  cudaMalloc(&x, n * sizeof(double));
  cudaMalloc(&prefixes, n * sizeof(double));
  cudaMallocManaged(&result, 2 * sizeof(double));
  cudaMemset(x, 0x3f, n * sizeof(double));  // every one is 0x3f3f...p0, about 0.000476
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);

  const foldline::Device gpu = foldline::Device::cuda(0);
  foldline::DeviceWorkspace workspace(gpu);
  const foldline::async::Queue queue{.workspace = &workspace, .stream = stream};
  const auto work = [&] {
    foldline::async::sum(foldline::VectorView(x, n), &result[0], queue);
    foldline::async::vector_two_norm(foldline::VectorView(x, n), &result[1], queue);
    foldline::async::inclusive_scan(foldline::VectorView(x, n), foldline::MutableVectorView(prefixes, n),
                                    queue);
  };
  work();  // returns at once
  cudaStreamSynchronize(stream);
  const double sum = result[0];
  std::printf("sum %.17g, norm %.17g\n", result[0], result[1]);

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  work();
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  result[0] = 0;
  for (int replay = 0; replay < 10; ++replay) cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  std::printf("from the graph: %.17g\n", result[0]);
  return result[0] == sum && cudaGetLastError() == cudaSuccess ? 0 : 1;
}
