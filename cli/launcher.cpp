#include "launcher.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace foldline::cli {
namespace {

/// The number in a variable of the environment; -1 if there is none.
int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return -1;
  const std::string_view digits = text;
  int number = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() ? number : -1;
}

}  // namespace

Launched launched_by_environment() {
  struct Variables {
    const char *rank, *ranks, *mpi, *name;
  };
  constexpr Variables known[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "openmpi", "Open MPI"},
                                 {"PMI_RANK", "PMI_SIZE", "mpich", "MPICH"},
                                 {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "mpich", "MVAPICH"}};
  if (const char* const choice = std::getenv("FOLDLINE_MPI");
      choice != nullptr && std::string_view(choice) == "off")
    return {};
  for (const auto& [rank, ranks, mpi, name] : known)
    if (number_in(rank) >= 0 && number_in(ranks) > 1) return {number_in(rank), number_in(ranks), mpi, name};
  return {};
}

}  // namespace foldline::cli
