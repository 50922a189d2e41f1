// Random cases of foldline::mpi, the same on every rank, and what the ranks' results are compared with.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cases.hpp"
#include "generators.hpp"
#include "oracle.hpp"

namespace spread {

using foldline::ElementType;
using foldline::Operation;
using generators::Random;

/// This process among all.
struct Ranks {
  MPI_Comm comm;
  int rank, count;
  /// Whether this rank compares with the oracle: one does, since it takes longer than all else.
  bool checks(std::uint64_t seed) const {
    return static_cast<std::uint64_t>(rank) == seed % static_cast<std::uint64_t>(count);
  }
};

/// The ranks' words, one rank's after the other's.
std::vector<std::uint64_t> all_words(const Ranks& ranks, const std::vector<std::uint64_t>& own);
/// Whether all ranks have the same words.
bool are_the_same(const Ranks& ranks, const std::vector<std::uint64_t>& words);

/// Where each rank's part of `size` elements begins, and the end: any split, some ranks without any.
std::vector<std::int64_t> random_split(std::int64_t size, int ranks, Random& random);

ElementType any_type(Random& random);
/// `size` values, fewer only if that is 0.
std::vector<double> any_values(ElementType type, std::int64_t size, Random& random);

/// A random case; empty if this rank found it right, and otherwise what is wrong.
std::string check_reduction(const Ranks& ranks, std::uint64_t seed);
std::string check_accumulators(const Ranks& ranks, std::uint64_t seed);
std::string check_arrays(const Ranks& ranks, std::uint64_t seed);
std::string check_columns(const Ranks& ranks, std::uint64_t seed);
std::string check_scan(const Ranks& ranks, std::uint64_t seed);
std::string check_integers(const Ranks& ranks, std::uint64_t seed);
/// Several calls at a time that do not wait, beside those that do.
std::string check_requests(const Ranks& ranks, std::uint64_t seed);
/// Arrays in the memory of what stands in for a GPU.
std::string check_gpu_arrays(const Ranks& ranks, std::uint64_t seed);
/// Of MPI's own functions, with the library preloaded.
std::string check_preloaded(const Ranks& ranks, std::uint64_t seed);

}  // namespace spread
