// The rungs in order. A new rung needs a file, a declaration and a line here.
#include "dot/rungs.hpp"

namespace foldline::ladder::dot {

template <class T>
void products_on_device(Bench<T>&);
template <class T>
void one_thread_adds_global(Bench<T>&);
template <class T>
void one_thread_adds_shared(Bench<T>&);
template <class T>
void slots_in_shared_memory(Bench<T>&);
template <class T>
void tree_in_shared_memory(Bench<T>&);
template <class T>
void warp_shuffles(Bench<T>&);
template <class T>
void constant_memory(Bench<T>&);
template <class T>
void two_arrays(Bench<T>&);
template <class T>
void array_and_linear(Bench<T>&);
template <class T>
void two_linear(Bench<T>&);
template <class T>
void library_dot(Bench<T>&);
template <class T>
void cublas_dot(Bench<T>&);
template <class T>
void plain_read(Bench<T>&);
template <class T>
void norm_by_dot(Bench<T>&);
template <class T>
void events_and_streams(Bench<T>&);
template <class T>
void library_norm(Bench<T>&);
template <class T>
void cublas_norm(Bench<T>&);
template <class T>
void attempt(Bench<T>&);

const std::vector<Rung>& rungs() {
  static const std::vector<Rung> list = {
      {{"products-on-device", Kind::rung, "products_on_device.cu"}, products_on_device, products_on_device},
      {{"one-thread-adds-global", Kind::rung, "one_thread_adds_global.cu"},
       one_thread_adds_global,
       one_thread_adds_global},
      {{"one-thread-adds-shared", Kind::rung, "one_thread_adds_shared.cu"},
       one_thread_adds_shared,
       one_thread_adds_shared},
      {{"slots-in-shared-memory", Kind::rung, "slots_in_shared_memory.cu"},
       slots_in_shared_memory,
       slots_in_shared_memory},
      {{"tree-in-shared-memory", Kind::rung, "tree_in_shared_memory.cu"},
       tree_in_shared_memory,
       tree_in_shared_memory},
      {{"warp-shuffles", Kind::rung, "warp_shuffles.cu"}, warp_shuffles, warp_shuffles},
      {{"constant-memory", Kind::aside, "constant_memory.cu"}, constant_memory, constant_memory},
      {{"textures-two-arrays", Kind::aside, "textures.cu"}, two_arrays, two_arrays},
      {{"textures-array-and-linear", Kind::aside, "textures.cu"}, array_and_linear, array_and_linear},
      {{"textures-two-linear", Kind::aside, "textures.cu"}, two_linear, two_linear},
      {{"foldline-dot", Kind::library, "library.cpp"}, library_dot, library_dot},
      {{"cublas-dot", Kind::reference, "cublas.cpp"}, cublas_dot, cublas_dot},
      {{"plain-read", Kind::roof, "plain_read.cpp"}, plain_read, plain_read},
      {{"events-and-streams", Kind::aside, "events_and_streams.cu"}, events_and_streams, events_and_streams},
      {{"norm-by-dot", Kind::aside, "norm_by_dot.cu"}, norm_by_dot, norm_by_dot, true},
      {{"foldline-norm", Kind::aside, "library.cpp"}, library_norm, library_norm, true},
      {{"cublas-nrm2", Kind::aside, "cublas.cpp"}, cublas_norm, cublas_norm, true},
      {{"attempt", Kind::attempt, "attempt.cpp"}, attempt, attempt},
  };
  return list;
}

}  // namespace foldline::ladder::dot
