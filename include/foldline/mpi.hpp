/// @file
/// Exact sums of data that is spread over the ranks of an MPI communicator (docs/mpi.md). Headers only, for
/// whatever MPI a program is compiled with:
///
///     #include <foldline/mpi.hpp>
///     // The same bits on every rank; and each element of an array rounded once, in place.
///     const double norm = foldline::mpi::vector_two_norm(my_part, MPI_COMM_WORLD);
///     foldline::mpi::all_reduce(gradient, MPI_COMM_WORLD);
///
/// All functions are collective: every rank of the communicator calls the same one with the same options. A
/// rank's mistake, lack of memory, or a call that differs from the others' is an exception on every rank,
/// with the same message. Results have the same bits for any number of ranks and any split of the data among
/// them.
#pragma once

#include "foldline/mpi/arrays.hpp"
#include "foldline/mpi/columns.hpp"
#include "foldline/mpi/error.hpp"
#include "foldline/mpi/nonblocking.hpp"
#include "foldline/mpi/reductions.hpp"
#include "foldline/mpi/request.hpp"
#include "foldline/mpi/scan.hpp"

/// Exact sums of data that is spread over the ranks of an MPI communicator.
namespace foldline::mpi {}
