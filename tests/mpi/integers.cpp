// Random sums of integers, exact or an overflow on every rank.
#include <algorithm>

#include "foldline/mpi.hpp"
#include "integer_cases.hpp"
#include "scan_cases.hpp"
#include "spread.hpp"

namespace spread {

namespace {

namespace mpi = foldline::mpi;
using foldline::Overflow;
using oracle::Answer;

/// The ranks' elements i, reduced; overflow if any is.
Answer::Kind expect(const std::vector<std::vector<std::uint64_t>>& arrays, ElementType type,
                    Overflow overflow, std::vector<std::uint64_t>& sums) {
  oracle::Integers oracle;
  std::vector<std::uint64_t> terms(arrays.size());
  auto kind = Answer::Kind::value;
  for (std::size_t i = 0; i < arrays[0].size(); ++i) {
    for (std::size_t r = 0; r < arrays.size(); ++r) terms[r] = arrays[r][i];
    oracle.load(type, terms);
    const Answer answer = oracle.result(Operation::sum, type, 0, overflow);
    if (answer.kind != Answer::Kind::value) kind = answer.kind;
    sums.push_back(answer.bits);
  }
  return kind;
}

}  // namespace

std::string check_integers(const Ranks& ranks, std::uint64_t seed) {
  Random random(seed);
  const auto type = foldline::element_types[static_cast<std::size_t>(random.between(4, 12))];
  const std::int64_t size = random.log_uniform(40);
  const foldline::Context context = {.overflow = random.coin() ? Overflow::wrap : Overflow::error};
  std::vector<std::vector<std::uint64_t>> arrays;
  for (int rank = 0; rank < ranks.count; ++rank) {
    auto words = integer_cases::generate(integer_cases::pick(integer_cases::all_generators, random), type,
                                         size, random);
    words.resize(static_cast<std::size_t>(size));
    arrays.push_back(std::move(words));
  }
  std::vector<std::uint64_t> whole, expected;
  for (const auto& array : arrays) whole.insert(whole.end(), array.begin(), array.end());
  const auto& own = arrays[static_cast<std::size_t>(ranks.rank)];
  const auto layout = cases::Layout::of_words(own, type);

  // The sum of all, to int64.
  oracle::Integers oracle;
  oracle.load(type, whole);
  const Answer total = oracle.result(Operation::sum, ElementType::int64, 0, context.overflow);
  try {
    const auto sum = mpi::sum<std::int64_t>(layout.view(), ranks.comm, context);
    if (total.kind != Answer::Kind::value || std::bit_cast<std::uint64_t>(sum) != total.bits)
      return "integers: a wrong sum";
  } catch (const foldline::OverflowError&) {
    if (total.kind != Answer::Kind::overflow) return "integers: an overflow that is none";
  }
  // Element by element, and the columns of a matrix of a row on each rank.
  const auto kind = expect(arrays, type, context.overflow, expected);
  for (const bool columns : {false, true}) {
    cases::OutputLayout out(size, type);
    try {
      if (columns)
        mpi::column_sums(
            foldline::MatrixView(layout.view().data(), type, 1, size, foldline::Layout::row_major, size),
            foldline::MutableArrayView(out.view().data(), type, {size}, {1}), ranks.comm, context);
      else
        mpi::all_reduce(layout.view(), out.view(), ranks.comm, Operation::sum, context);
      if (kind != Answer::Kind::value) return "integers: an overflow was not seen";
      const std::string wrong = cases::difference(out.results(), expected);
      if (!wrong.empty())
        return std::string(columns ? "columns of " : "arrays of ") + std::string(name_of(type)) + ": " +
               wrong;
    } catch (const foldline::OverflowError&) {
      if (kind != Answer::Kind::overflow) return "integers: an element overflowed that does not";
    }
  }
  return "";
}

}  // namespace spread
