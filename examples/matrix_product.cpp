// Products of matrices: exact, fast, of transposes, with alpha and beta; on a GPU, if there is one.
#include <foldline/foldline.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

int failures = 0;

void check(const char* what, bool holds) {
  std::printf("%-36s %s\n", what, holds ? "as expected" : "WRONG");
  if (!holds) ++failures;
}

void exact_and_fast() {
  const std::vector<double> a = {1e16, 1, -1e16,  //
                                 1,    2, 3};     // 2 x 3
  const std::vector<double> b = {1, 1, 1};        // 3 x 1
  std::vector<double> c(2);
  foldline::matrix_product(foldline::MatrixView(a.data(), 2, 3), foldline::MatrixView(b.data(), 3, 1),
                           foldline::MutableArrayView(c.data(), {2, 1}));  // {1, 6}
  check("every entry is rounded once", c == std::vector<double>{1, 6});

  const foldline::Context fast = {.accuracy = foldline::Accuracy::fast};
  std::vector<double> d(2);
  foldline::matrix_product(foldline::MatrixView(a.data(), 2, 3), foldline::MatrixView(b.data(), 3, 1),
                           foldline::MutableArrayView(d.data(), {2, 1}), {}, fast);
  check("the fast one is near", std::abs(d[0] - 1) <= 2 && d[1] == 6);
}

void transposes() {
  const std::vector<double> a = {1, 2, 3,   //
                                 4, 5, 6};  // 2 x 3
  const foldline::MatrixView view(a.data(), 2, 3);
  std::vector<double> gram(9, 1);
  foldline::matrix_product(view.transposed(), view, foldline::MutableArrayView(gram.data(), {3, 3}),
                           {.alpha = 2, .beta = -1});
  check("2 A^T A - C", gram == std::vector<double>{33, 43, 53, 43, 57, 71, 53, 71, 89});
}

void on_a_gpu() {
  if (foldline::gpus().empty()) {
    std::printf("on a GPU: not here, %s\n", foldline::why_no_gpu().c_str());
    return;
  }
  std::vector<double> a(32 * 32, 0.1), on_cpu(32 * 32), on_gpu(32 * 32);
  a[5] = 1e16;
  const foldline::MatrixView view(a.data(), 32, 32);
  foldline::matrix_product(view, view, foldline::MutableArrayView(on_cpu.data(), {32, 32}));
  const foldline::Context gpu = {.execution = {.device = foldline::Device::cuda()}};
  foldline::matrix_product(view, view, foldline::MutableArrayView(on_gpu.data(), {32, 32}), {}, gpu);
  check("the bits of the CPU on a GPU", on_cpu == on_gpu);
}

}  // namespace

int main() {
  exact_and_fast();
  transposes();
  on_a_gpu();
  return failures;
}
