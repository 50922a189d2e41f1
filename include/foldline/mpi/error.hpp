/// @file
/// mpi.h, and what is thrown when MPI itself fails.
#pragma once

#ifndef OMPI_SKIP_MPICXX
/// Leaves out Open MPI's C++ bindings, which MPI 3 removed: they would have to be linked.
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
/// The same of MPICH.
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <array>
#include <cstddef>
#include <string>

#include "foldline/error.hpp"

namespace foldline::mpi {

/// A call of MPI failed. MPI itself ends the program then, unless the communicator's error handler returns
/// (MPI_ERRORS_RETURN). Other ranks may be waiting for this one: the communicator is of no more use.
class Error : public foldline::Error {
 public:
  /// `code` is what `function` returned.
  Error(const char* function, int code) : foldline::Error(text_of(function, code)), code_(code) {}
  /// The error code of MPI.
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  static std::string text_of(const char* function, int code) {
    std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
    int length = 0;
    if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS)
      return std::string(function) + " failed: MPI error " + std::to_string(code);
    return std::string(function) + " failed: " + std::string(text.data(), static_cast<std::size_t>(length));
  }

  int code_;
};

namespace detail {

inline void check(int code, const char* function) {
  if (code != MPI_SUCCESS) throw Error(function, code);
}

/// The place of this process in a communicator that collective calls can use.
struct Place {
  int rank = 0, ranks = 1;

  explicit Place(MPI_Comm comm) {
    int is_initialised = 0, is_finalised = 0, is_inter = 0;
    check(MPI_Initialized(&is_initialised), "MPI_Initialized");
    check(MPI_Finalized(&is_finalised), "MPI_Finalized");
    if (is_initialised == 0 || is_finalised != 0)
      throw InvalidArgument("foldline::mpi: call between MPI_Init and MPI_Finalize");
    if (comm == MPI_COMM_NULL)
      throw InvalidArgument(
          "foldline::mpi: the communicator is MPI_COMM_NULL; give one that this process is in");
    check(MPI_Comm_test_inter(comm, &is_inter), "MPI_Comm_test_inter");
    if (is_inter != 0)
      throw InvalidArgument(
          "foldline::mpi: an intercommunicator has two groups; merge them with MPI_Intercomm_merge");
    check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  }
};

}  // namespace detail
}  // namespace foldline::mpi
