// What goes wrong without exactness, on real data: why_exact data/co2_float32.npy. The ordinary ways to add
// are written here as most programs have them, in float; every number is the same on every machine and in
// every run, and foldline's stand beside.
#include <foldline/array_reader.hpp>
#include <foldline/foldline.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Floats = std::vector<float>;

Floats read(const std::string& path) {
  foldline::ArrayReader file = foldline::ArrayReader::open_npy(path);
  if (file.type() != foldline::ElementType::float32)
    throw std::runtime_error(path + ": give an array of float32");
  Floats x(static_cast<std::size_t>(file.size().value()));
  for (std::span<float> rest = x; !rest.empty();)
    rest = rest.subspan(static_cast<std::size_t>(file.read(std::as_writable_bytes(rest))));
  return x;
}

float loop(std::span<const float> x) {
  float sum = 0;
  for (const float value : x) sum += value;
  return sum;
}

/// A sum as threads make it: each adds its part, then the parts are added.
float loop_in_parts(std::span<const float> x, std::size_t parts) {
  const std::size_t size = (x.size() + parts - 1) / parts;
  float sum = 0;
  for (std::size_t first = 0; first < x.size(); first += size)
    sum += loop(x.subspan(first, std::min(size, x.size() - first)));
  return sum;
}

/// E[x^2] - E[x]^2
float textbook_variance(std::span<const float> x) {
  const auto n = static_cast<float>(x.size());
  float sum = 0, squares = 0;
  for (const float value : x) {
    sum += value;
    squares += value * value;
  }
  return squares / n - sum / n * (sum / n);
}

void row(const char* what, double ordinary, double exact) {
  std::printf("     %-28s %14.9g %16.9g\n", what, ordinary, exact);
}

void show_orders(const Floats& x) {
  std::printf("  1. The order shows. One total in float, the same numbers:\n");
  Floats sorted = x;
  std::ranges::sort(sorted);
  const Floats reversed(x.rbegin(), x.rend());
  row("first to last", loop(x), foldline::sum(x));
  row("last to first", loop(reversed), foldline::sum(reversed));
  row("smallest first", loop(sorted), foldline::sum(sorted));
}

void show_parts(const Floats& x) {
  std::printf("  2. The number of threads shows. Every thread adds its part, then the parts are added:\n");
  for (const int threads : {1, 2, 3, 4, 8})
    row((std::to_string(threads) + (threads == 1 ? " thread" : " threads")).c_str(),
        loop_in_parts(x, static_cast<std::size_t>(threads)),
        foldline::sum(x, {.execution = {.threads = threads}}));
}

void show_variances(const Floats& x) {
  std::printf("  3. The variance cancels. The mean of the squares less the square of the mean:\n");
  const Floats weeks(x.begin() + 2016, x.begin() + 2020);
  row("all weeks", textbook_variance(x), foldline::variance(x));
  row("4 weeks, from number 2017 on", textbook_variance(weeks), foldline::variance(weeks));
}

void show_overflow() {
  std::printf("  4. A sum overflows that has a result:\n");
  const std::vector<double> x = {1e308, 1e308, -1e308};
  double sum = 0;
  for (const double value : x) sum += value;
  row("1e308 + 1e308 - 1e308", sum, foldline::sum(x));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: why_exact data/co2_float32.npy\n", stderr), 2;
  try {
    const Floats x = read(argv[1]);
    if (x.size() < 2020)
      throw std::runtime_error(std::string(argv[1]) + ": give an array of at least 2020 numbers");
    std::printf("     %-28s %14s %16s\n", "", "ordinary", "foldline");
    show_orders(x);
    show_parts(x);
    show_variances(x);
    show_overflow();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "why_exact: %s\n", error.what());
    return 1;
  }
  return 0;
}
