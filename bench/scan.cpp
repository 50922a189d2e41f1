// Prefix sums, those of integers in the type of the elements. The reference is a copy of the vector, which
// moves the same bytes once.
#include <execution>
#include <memory>
#include <numeric>

#include <foldline/scan.hpp>

#include "arrays.hpp"
#include "copy.hpp"
#include "digest.hpp"
#include "operations.hpp"

namespace foldline::bench {
namespace {

template <Element T>
struct ScanProblem {
  Problem<T> problem;
  std::shared_ptr<T[]> out;

  std::span<T> results() const { return {out.get(), static_cast<std::size_t>(problem.size)}; }
};

/// A contestant that fills `out`; its result is a digest.
template <Element T, class Fill>
Contestant filling(std::string name, Role role, const ScanProblem<T>& scan, Fill fill) {
  const auto result = [=] {
    fill();
    return digest_of<T>(scan.results());
  };
  const auto repeat = [=](std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) {
      fill();
      keep(scan.out[0]);
    }
  };
  return {std::move(name), role, result, repeat};
}

/// The same scan in uneven blocks, by one thread, and for small sizes by the portable code.
template <Element T>
Values scan_in_blocks(const ScanProblem<T>& scan) {
  const std::int64_t size = scan.problem.size;
  const Context context = {
      .execution = {.threads = 1, .target = size <= portable_limit ? Target::portable : Target::automatic}};
  RunningScan running(ScanKind::inclusive);
  for (std::int64_t first = 0; first < size;) {
    const std::int64_t count = (size - first) / 3 + 1;
    running.next(VectorView(scan.problem.x_data + first, count),
                 MutableVectorView(scan.out.get() + first, count), context);
    first += count;
  }
  return digest_of<T>(scan.results());
}

}  // namespace

template <Element T>
std::vector<Contestant> scan_contestants(const Problem<T>& problem) {
  const ScanProblem<T> scan = {problem, make_array<T>(problem.size, "uniform", 3)};
  const std::span<const T> x = problem.x();
  const std::span<T> out = scan.results();
  const Context exact = problem.context();
  std::vector<Contestant> list;
  list.push_back(filling("foldline exact", Role::foldline, scan, [=] { inclusive_scan(x, out, exact); }));
  list.back().second = [scan] { return scan_in_blocks(scan); };
  if constexpr (FloatingElement<T>) {
    const Context fast = problem.context(Accuracy::fast);
    list.push_back(filling("foldline fast", Role::foldline, scan, [=] { inclusive_scan(x, out, fast); }));
    list.back().second = list.back().result;
  }
  // Beside foldline's, as the plain loops of the other operations (operations.cpp).
  list.push_back(filling("memcpy", Role::plain, scan,
                         [=] { copy(x.data(), out.data(), out.size_bytes(), problem.threads); }));
  list.push_back(filling("streaming copy", Role::plain, scan,
                         [=] { stream(x.data(), out.data(), out.size_bytes(), problem.threads); }));
  if (problem.threads > 1)
    list.push_back(filling("std::inclusive_scan par_unseq", Role::peer, scan, [=] {
      std::inclusive_scan(std::execution::par_unseq, x.begin(), x.end(), out.begin());
    }));
  else
    list.push_back(filling("std::inclusive_scan", Role::peer, scan,
                           [=] { std::inclusive_scan(x.begin(), x.end(), out.begin()); }));
  return list;
}

template std::vector<Contestant> scan_contestants(const Problem<double>&);
template std::vector<Contestant> scan_contestants(const Problem<float>&);
template std::vector<Contestant> scan_contestants(const Problem<std::int32_t>&);
template std::vector<Contestant> scan_contestants(const Problem<std::int64_t>&);

}  // namespace foldline::bench
