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
  struct Launcher {
    const char *rank, *ranks;  ///< variables; null if there is none
    std::vector<std::string> mpis;
    const char* name;
  };
  // The launchers of MPIs first: these may have been started by one of the others, whose variables are then
  // still there. In a batch script SLURM_PROCID and SLURM_NTASKS are set, but only srun sets that of steps.
  const Launcher known[] = {
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {"openmpi"}, "the mpirun of Open MPI"},
      {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", {"mpich"}, "the mpirun of MVAPICH"},
      {"PMI_RANK", "PMI_SIZE", {"mpich", "openmpi"}, "the mpirun of MPICH"},
      {"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", {"openmpi"}, "jsrun"},
      {"FLUX_TASK_RANK", "FLUX_JOB_SIZE", {"mpich", "openmpi"}, "flux run"},
      {"PMIX_RANK", "SLURM_STEP_NUM_TASKS", {"openmpi", "mpich"}, "srun with PMIx"},
      {"PMIX_RANK", nullptr, {"openmpi", "mpich"}, "a launcher with PMIx"},
      {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", {}, "srun without PMI (srun --mpi=pmix has it)"},
  };
  const char* const given = std::getenv("FOLDLINE_MPI");
  const std::string choice = given != nullptr ? given : "";
  if (choice == "off") return {};
  for (const auto& [rank, ranks, mpis, name] : known) {
    if (number_in(rank) < 0) continue;
    if (ranks != nullptr && number_in(ranks) < 1) continue;
    const int count = ranks != nullptr ? number_in(ranks) : Launched::unknown;
    return {number_in(rank), count, choice.empty() ? mpis : std::vector{choice}, name};
  }
  if (!choice.empty()) return {0, Launched::unknown, {choice}, "FOLDLINE_MPI=" + choice};
  return {};
}

}  // namespace foldline::cli
