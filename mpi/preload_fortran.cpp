// The functions of preload.cpp as Open MPI's Fortran interfaces call them: these go to PMPI functions, past
// those of C. (MPICH's go through C.) The names of mpif.h and `use mpi` end in "_"; those of `use mpi_f08`
// come by ompi_..._f.
#include "preload.hpp"

#ifdef OPEN_MPI

#define EXPORT extern "C" __attribute__((visibility("default")))

extern "C" {
// The address of this is Fortran's MPI_IN_PLACE.
extern int mpi_fortran_in_place_ __attribute__((weak));

using Reduction = void(void*, void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*);
using RootedReduction = void(void*, void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*);
Reduction pmpi_allreduce_ __attribute__((weak)), pmpi_scan_ __attribute__((weak)),
    pmpi_reduce_scatter_block_ __attribute__((weak));
RootedReduction pmpi_reduce_ __attribute__((weak));
}

namespace {

void* in_c(void* buffer) { return buffer == &mpi_fortran_in_place_ ? MPI_IN_PLACE : buffer; }

template <class Function>
void call(Function* ours, Reduction* theirs, void* send, void* result, MPI_Fint* count, MPI_Fint* datatype,
          MPI_Fint* operation, MPI_Fint* comm, MPI_Fint* error) {
  const MPI_Datatype type = PMPI_Type_f2c(*datatype);
  if (!is_sum_of_reals(type, PMPI_Op_f2c(*operation)))
    return theirs(send, result, count, datatype, operation, comm, error);
  *error = ours(in_c(send), result, *count, type, MPI_SUM, PMPI_Comm_f2c(*comm));
}

}  // namespace

EXPORT void mpi_allreduce_(void* send, void* result, MPI_Fint* count, MPI_Fint* datatype, MPI_Fint* operation,
                           MPI_Fint* comm, MPI_Fint* error) {
  call(MPI_Allreduce, pmpi_allreduce_, send, result, count, datatype, operation, comm, error);
}
EXPORT void mpi_scan_(void* send, void* result, MPI_Fint* count, MPI_Fint* datatype, MPI_Fint* operation,
                      MPI_Fint* comm, MPI_Fint* error) {
  call(MPI_Scan, pmpi_scan_, send, result, count, datatype, operation, comm, error);
}
EXPORT void mpi_reduce_scatter_block_(void* send, void* result, MPI_Fint* count, MPI_Fint* datatype,
                                      MPI_Fint* operation, MPI_Fint* comm, MPI_Fint* error) {
  call(MPI_Reduce_scatter_block, pmpi_reduce_scatter_block_, send, result, count, datatype, operation, comm,
       error);
}
EXPORT void mpi_reduce_(void* send, void* result, MPI_Fint* count, MPI_Fint* datatype, MPI_Fint* operation,
                        MPI_Fint* root, MPI_Fint* comm, MPI_Fint* error) {
  const MPI_Datatype type = PMPI_Type_f2c(*datatype);
  if (!is_sum_of_reals(type, PMPI_Op_f2c(*operation)))
    return pmpi_reduce_(send, result, count, datatype, operation, root, comm, error);
  *error = MPI_Reduce(in_c(send), result, *count, type, MPI_SUM, *root, PMPI_Comm_f2c(*comm));
}

EXPORT Reduction ompi_allreduce_f __attribute__((alias("mpi_allreduce_")));
EXPORT Reduction ompi_scan_f __attribute__((alias("mpi_scan_")));
EXPORT Reduction ompi_reduce_scatter_block_f __attribute__((alias("mpi_reduce_scatter_block_")));
EXPORT RootedReduction ompi_reduce_f __attribute__((alias("mpi_reduce_")));

#endif
