// The rungs in order. A new rung needs a file, a declaration and a line here.
#include "matmul/rungs.hpp"

namespace foldline::ladder::matmul {

template <class T>
void one_thread_per_entry(Bench<T>&);
template <class T>
void tiles_in_shared_memory(Bench<T>&);
template <class T>
void tile_size_at_run_time(Bench<T>&);
template <class T>
void padded_tiles(Bench<T>&);
template <class T>
void patches_in_registers(Bench<T>&);
template <class T>
void two_buffers(Bench<T>&);
template <class T>
void tensor_cores(Bench<T>&);
template <class T>
void library(Bench<T>&);
template <class T>
void cublas_gemm(Bench<T>&);
template <class T>
void multiply_add_rate(Bench<T>&);
template <class T>
void tensor_core_rate(Bench<T>&);
template <class T>
void attempt(Bench<T>&);

const std::vector<Rung>& rungs() {
  static const std::vector<Rung> list = {
      {{"one-thread-per-entry", Kind::rung, "one_thread_per_entry.cu"},
       one_thread_per_entry,
       one_thread_per_entry},
      {{"tiles-in-shared-memory", Kind::rung, "tiles_in_shared_memory.cu"},
       tiles_in_shared_memory,
       tiles_in_shared_memory},
      {{"tile-size-at-run-time", Kind::rung, "tile_size_at_run_time.cu"},
       tile_size_at_run_time,
       tile_size_at_run_time},
      {{"padded-tiles", Kind::rung, "padded_tiles.cu"}, padded_tiles, padded_tiles},
      {{"patches-in-registers", Kind::rung, "patches_in_registers.cu"},
       patches_in_registers,
       patches_in_registers},
      {{"two-buffers", Kind::rung, "two_buffers.cu"}, two_buffers, two_buffers},
      {{"tensor-cores", Kind::rung, "tensor_cores.cu"}, tensor_cores, tensor_cores},
      {{"foldline-matrix-product", Kind::library, "library.cpp"}, library, library},
      {{"cublas-gemm", Kind::reference, "cublas.cpp"}, cublas_gemm, cublas_gemm},
      {{"multiply-add-rate", Kind::roof, "multiply_add_rate.cu"}, multiply_add_rate, multiply_add_rate},
      {{"tensor-core-rate", Kind::roof, "tensor_core_rate.cu"}, tensor_core_rate, tensor_core_rate},
      {{"attempt", Kind::attempt, "attempt.cpp"}, attempt, attempt},
  };
  return list;
}

}  // namespace foldline::ladder::matmul
