// Random calls that do not wait: each must give the bits of the call that does, which the other cases compare
// with the oracle.
#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>

#include "foldline/mpi.hpp"
#include "scan_cases.hpp"
#include "spread.hpp"

namespace spread {

namespace {

namespace mpi = foldline::mpi;
using foldline::VectorView;

/// A call under way.
struct Call {
  std::function<bool()> test;
  std::function<std::string()> finish;  ///< waits; what is wrong
};

/// What results go to outlives the request, whose destructor waits for them.
template <class Target, class Result>
struct Held {
  Target target;
  mpi::Request<Result> request;
};

/// is_right(target, what wait() returned) or, of a void request, is_right(target).
template <class Result, class Target, class Start, class IsRight>
Call call_of(Target target, const Start& start, const IsRight& is_right) {
  const auto held = std::make_shared<Held<std::shared_ptr<Target>, Result>>([&] {
    auto shared = std::make_shared<Target>(std::move(target));
    auto request = start(*shared);
    return Held<std::shared_ptr<Target>, Result>{std::move(shared), std::move(request)};
  }());
  return {[held] { return held->request.test(); },
          [held, is_right]() -> std::string {
            if constexpr (std::is_void_v<Result>) {
              held->request.wait();
              return is_right(*held->target) ? "" : "an array or accumulator differs";
            } else {
              return is_right(held->request.wait()) ? "" : "a number differs";
            }
          }};
}

struct Nothing {};

Call start_number(const Ranks& ranks, Random& random) {
  const std::int64_t size = random.log_uniform(300);
  const auto x = any_values(ElementType::float64, size, random),
             y = any_values(ElementType::float64, size, random);
  const auto split = random_split(size, ranks.count, random);
  const auto first = static_cast<std::size_t>(split[static_cast<std::size_t>(ranks.rank)]);
  const auto count = split[static_cast<std::size_t>(ranks.rank) + 1] - static_cast<std::int64_t>(first);
  std::vector<double> own(x.begin() + static_cast<std::ptrdiff_t>(first),
                          x.begin() + static_cast<std::ptrdiff_t>(first) + count);
  const VectorView part(own), other(y.data() + first, count);
  const auto is = [](double expected) {
    return [expected](double actual) { return cases::bits_of(actual) == cases::bits_of(expected); };
  };
  const int kind = static_cast<int>(random.between(0, 3));
  if (kind == 0) {
    const auto start = [&](Nothing) {
      auto request = mpi::isum(own, ranks.comm);
      std::ranges::fill(own, 0.5);  // it has been read
      return request;
    };
    const double expected = mpi::sum(own, ranks.comm);
    return call_of<double>(Nothing{}, start, is(expected));
  }
  if (kind == 1) {
    const auto start = [&](Nothing) { return mpi::idot<double>(part, other, ranks.comm); };
    return call_of<double>(Nothing{}, start, is(mpi::dot<double>(part, other, ranks.comm)));
  }
  if (kind == 2) {
    const foldline::ReduceOptions options = {.ddof = random.between(0, 2)};
    const auto start = [&](Nothing) { return mpi::ireduce(Operation::variance, part, ranks.comm, options); };
    const auto expected = mpi::reduce(Operation::variance, part, ranks.comm, options);
    return call_of<foldline::Scalar>(Nothing{}, start, [expected](const foldline::Scalar& actual) {
      return cases::bits_of(actual.as<double>()) == cases::bits_of(expected.as<double>());
    });
  }
  foldline::Accumulator sums(Operation::statistics);
  sums.add(part);
  foldline::Accumulator all = sums;
  mpi::all_reduce(all, ranks.comm);
  return call_of<void>(
      std::move(sums), [&](foldline::Accumulator& target) { return mpi::iall_reduce(target, ranks.comm); },
      [bytes = all.serialise()](const foldline::Accumulator& target) { return target.serialise() == bytes; });
}

Call start_array(const Ranks& ranks, Random& random) {
  const auto type = random.coin() ? ElementType::bfloat16 : ElementType::float64;
  const std::int64_t size = random.log_uniform(random.one_in(10) ? 3000 : 100);
  std::vector<double> values;
  for (int rank = 0; rank < ranks.count; ++rank) {
    auto one = any_values(type, size, random);
    if (rank == ranks.rank) values = std::move(one);
  }
  struct Arrays {
    cases::Layout x;
    cases::OutputLayout out;
  };
  Arrays arrays{cases::Layout(values, type, random.one_in(4) ? -2 : 1), cases::OutputLayout(size, type, 1)};
  mpi::all_reduce(arrays.x.view(), arrays.out.view(), ranks.comm);
  const auto bits = arrays.out.results();
  return call_of<void>(
      Arrays{cases::Layout(values, type, random.one_in(4) ? -2 : 1), cases::OutputLayout(size, type, 1)},
      [&](Arrays& target) { return mpi::iall_reduce(target.x.view(), target.out.view(), ranks.comm); },
      [bits](const Arrays& target) { return target.out.results() == bits; });
}

/// In place.
Call start_in_place(const Ranks& ranks, Random& random) {
  auto x = any_values(ElementType::float64, random.log_uniform(100), random);
  x[0] += ranks.rank;
  std::vector<double> expected = x;
  mpi::all_reduce(expected, ranks.comm);
  return call_of<void>(
      std::move(x), [&](std::vector<double>& target) { return mpi::iall_reduce(target, ranks.comm); },
      [expected](const std::vector<double>& target) {
        const auto same = [](double a, double b) { return cases::bits_of(a) == cases::bits_of(b); };
        return std::ranges::equal(target, expected, same);
      });
}

}  // namespace

std::string check_requests(const Ranks& ranks, std::uint64_t seed) {
  Random random(seed);
  std::vector<Call> calls;
  for (std::int64_t left = random.between(1, 4); left > 0; --left)
    calls.push_back(random.coin()      ? start_number(ranks, random)
                    : random.one_in(3) ? start_in_place(ranks, random)
                                       : start_array(ranks, random));
  // Each rank ends them in an order of its own, or leaves that to the destructor.
  Random own(seed + static_cast<std::uint64_t>(ranks.rank) + 1);
  std::vector<std::size_t> order(calls.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1],
              order[static_cast<std::size_t>(own.between(0, static_cast<std::int64_t>(i) - 1))]);
  std::string wrong;
  for (const std::size_t i : order) {
    for (std::int64_t polls = own.between(0, 3); polls > 0; --polls) calls[i].test();
    if (own.one_in(10)) continue;
    if (const std::string problem = calls[i].finish(); !problem.empty()) wrong = "requests: " + problem;
  }
  return wrong;
}

}  // namespace spread
