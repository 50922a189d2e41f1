// What the library to preload takes over from MPI.
#pragma once

#include "foldline/mpi/error.hpp"

/// Whether it is the sum of one of C's or Fortran's real types.
inline bool is_sum_of_reals(MPI_Datatype datatype, MPI_Op operation) {
  if (operation != MPI_SUM || datatype == MPI_DATATYPE_NULL) return false;
  return datatype == MPI_FLOAT || datatype == MPI_REAL || datatype == MPI_REAL4 || datatype == MPI_DOUBLE ||
         datatype == MPI_DOUBLE_PRECISION || datatype == MPI_REAL8;
}
