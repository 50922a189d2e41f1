// mpirun -n P faults: one rank is wrong, or all differ; every rank must throw the same error, and the
// communicator must work on.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "foldline/foldline.hpp"
#include "foldline/mpi.hpp"

namespace {

bool is_out_of_memory = false;

}  // namespace

// A rank that lacks memory: blocks of 64 KiB and more are refused.
void* operator new(std::size_t size) {
  void* const memory = is_out_of_memory && size >= 65536 ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

namespace mpi = foldline::mpi;
using foldline::InvalidArgument;
using foldline::Operation;
using foldline::VectorView;

int rank_of_this = 0, ranks = 1, failures = 0;

/// What kind of exception a call throws, and its message.
template <class Call>
std::string thrown_by(const Call& call) {
  try {
    call();
  } catch (const foldline::OverflowError& error) {
    return std::string("overflow: ") + error.what();
  } catch (const InvalidArgument& error) {
    return std::string("invalid: ") + error.what();
  } catch (const foldline::Error& error) {
    return std::string("error: ") + error.what();
  } catch (const std::exception& error) {
    return std::string("other: ") + error.what();
  }
  return "nothing";
}

/// Every rank must throw the same, with `part` in the message; then a sum must be right.
template <class Call>
void expect(const char* part, const Call& call) {
  const std::string text = thrown_by(call);
  std::vector<char> first(1000);
  std::copy_n(text.begin(), std::min<std::size_t>(text.size(), 999), first.begin());
  MPI_Bcast(first.data(), 1000, MPI_CHAR, 0, MPI_COMM_WORLD);
  const double one = 1;
  const bool works = mpi::sum(VectorView(&one, 1), MPI_COMM_WORLD) == ranks;
  if (text.find(part) != std::string::npos && text == first.data() && works) return;
  std::printf("rank %d: expected '%s', got '%s', rank 0 '%s'\n", rank_of_this, part, text.c_str(),
              first.data());
  ++failures;
}

void expect_differences() {
  const bool odd = rank_of_this == ranks - 1;
  std::vector<double> x(10, 1), out(10);
  std::vector<float> narrow(10, 1);
  const auto world = MPI_COMM_WORLD;
  expect("functions: sum and all_reduce", [&] {
    if (odd)
      mpi::all_reduce(x, out, world);
    else
      (void)mpi::sum(x, world);
  });
  expect("functions: column_sums and inclusive_scan", [&] {
    if (odd)
      mpi::inclusive_scan(x, out, world);
    else
      (void)mpi::column_sums(foldline::MatrixView(x.data(), 2, 5), world);
  });
  expect("operations: sum and mean", [&] { (void)(odd ? mpi::mean(x, world) : mpi::sum(x, world)); });
  expect("operations: sum and mean",
         [&] { mpi::all_reduce(x, out, world, odd ? Operation::mean : Operation::sum); });
  expect("element types: float64 and float32",
         [&] { (void)(odd ? mpi::sum<double>(narrow, world) : mpi::sum(x, world)); });
  expect("result types: float64 and float32",
         [&] { odd ? (void)mpi::sum<float>(x, world) : (void)mpi::sum(x, world); });
  expect("numbers of elements: 10 and 9", [&] {
    const VectorView part(x.data(), odd ? 9 : 10);
    mpi::all_reduce(part, {out.data(), part.size()}, world);
  });
  expect("numbers of columns: 5 and 2",
         [&] { (void)mpi::column_sums(foldline::MatrixView(x.data(), odd ? 5 : 2, odd ? 2 : 5), world); });
  expect("ddof: 0 and 1", [&] { (void)mpi::variance(x, world, {.ddof = odd ? 1 : 0}); });
  expect("values of init", [&] { mpi::exclusive_scan(x, out, world, foldline::Scalar(odd ? 1.0 : 0.0)); });
  expect("contexts", [&] {
    (void)mpi::sum(x, world, {.overflow = odd ? foldline::Overflow::wrap : foldline::Overflow::error});
  });
  expect("operations: sum and mean", [&] {
    foldline::Accumulator sums(odd ? Operation::mean : Operation::sum);
    mpi::all_reduce(sums, world);
  });
}

void expect_differences_later() {
  const bool odd = rank_of_this == ranks - 1;
  std::vector<double> x(10, 1), out(10);
  const auto world = MPI_COMM_WORLD;
  expect("functions: sum and all_reduce(Accumulator)", [&] {
    foldline::Accumulator sums(Operation::sum);
    if (odd)
      mpi::iall_reduce(sums, world).wait();
    else
      (void)mpi::isum(x, world).wait();
  });
  expect("ddof: 0 and 1",
         [&] { (void)mpi::ireduce(Operation::variance, x, world, {.ddof = odd ? 1 : 0}).wait(); });
  expect("numbers of elements: 10 and 9", [&] {
    const VectorView part(x.data(), odd ? 9 : 10);
    mpi::iall_reduce(part, {out.data(), part.size()}, world).wait();
  });
  std::vector<std::int8_t> bytes(200, 1);
  bytes[199] = 100;
  expect("overflow: foldline::mpi: rank", [&] { mpi::iall_reduce(bytes, world).wait(); });
  expect("is empty", [&] {
    auto request = mpi::isum(x, world);
    (void)request.wait();
    (void)request.wait();
  });
  expect("nothing", [&] {  // nobody waits
    auto request = mpi::iall_reduce(x, world);
    (void)mpi::idot(x, odd ? VectorView(x.data(), 3) : VectorView(x), world);
  });
}

void expect_mistakes() {
  const bool odd = rank_of_this == ranks - 1;
  const std::string culprit = "rank " + std::to_string(ranks - 1) + ": ";
  std::vector<double> x(100'000, 1), out(100'000);
  const VectorView wrong(static_cast<const double*>(nullptr), 5);
  const auto world = MPI_COMM_WORLD;
  expect(culprit.c_str(), [&] { (void)mpi::sum(odd ? wrong : VectorView(x), world); });
  expect(culprit.c_str(), [&] { (void)mpi::dot(x, odd ? VectorView(x.data(), 3) : VectorView(x), world); });
  expect((culprit + "all_reduce: x and out overlap").c_str(), [&] {
    mpi::all_reduce(
        VectorView(x.data(), 10),
        odd ? foldline::MutableVectorView(x.data() + 1, 10) : foldline::MutableVectorView(out.data(), 10),
        world);
  });
  expect("blocks of",
         [&] { mpi::reduce_scatter(VectorView(x.data(), 10), {out.data(), odd ? 11 : 0}, world); });
  expect("elements together",
         [&] { mpi::reduce_scatter(VectorView(x.data(), 10), {out.data(), odd ? 5 : 0}, world); });
  expect(culprit.c_str(),
         [&] { mpi::inclusive_scan(VectorView(x.data(), 10), {out.data(), odd ? 9 : 10}, world); });
  expect("minimum", [&] { (void)mpi::min(VectorView(x.data(), 0), world); });
  expect("out of memory", [&] {
    is_out_of_memory = odd;
    try {
      mpi::all_reduce(x, out, world);
    } catch (...) {
      is_out_of_memory = false;
      throw;
    }
    is_out_of_memory = false;
  });
  // One rank's slice, or part of a scan, overflows.
  std::vector<std::int8_t> bytes(200, 1), sums(200);
  bytes[199] = 100;
  expect("overflow: foldline::mpi: rank", [&] { mpi::all_reduce(bytes, sums, world); });
  expect("overflow: foldline::mpi: rank", [&] { mpi::inclusive_scan(bytes, sums, world); });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_of_this);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  expect_differences();
  expect_differences_later();
  expect_mistakes();
  if (thrown_by([] { (void)mpi::sum(std::vector<double>{1}, MPI_COMM_NULL); }).find("MPI_COMM_NULL") ==
      std::string::npos)
    ++failures;
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank_of_this == 0) std::printf("%d failures\n", all);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
