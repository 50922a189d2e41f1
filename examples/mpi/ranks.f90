! The Fortran twin of ranks.c: sums over ranks of double precision numbers and of reals that depend on which rank holds which array, and
! with a library preloaded do not.
!
!   mpifort ranks.f90 -o ranks
!   mpirun -n 4 ./ranks
program ranks_of_fortran
  use mpi_f08
  implicit none
  integer, parameter :: size = 1000
  double precision :: x(size), sums(size, 2), placed(size, 2)
  real :: y(size), real_sums(size, 2)
  integer :: rank, ranks, way

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  do way = 1, 2
    call fill(mod(rank + way - 1, ranks))
    y = real(x)
    placed(:, way) = x
    call MPI_Allreduce(x, sums(:, way), size, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Allreduce(MPI_IN_PLACE, placed(:, way), size, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Allreduce(y, real_sums(:, way), size, MPI_REAL, MPI_SUM, MPI_COMM_WORLD)
  end do
  if (rank == 0) then
    print '(a,1x,i0,1x,g0)', 'double', count(sums(:, 1) /= sums(:, 2)), sums(1, 1)
    print '(a,1x,i0,1x,g0)', 'in-place', count(placed(:, 1) /= placed(:, 2)), placed(1, 1)
    print '(a,1x,i0,1x,g0)', 'real', count(real_sums(:, 1) /= real_sums(:, 2)), real_sums(1, 1)
  end if
  call MPI_Finalize()

contains

  subroutine fill(array)
    integer, intent(in) :: array
    integer :: i
    do i = 1, size
      x(i) = sin(dble(i*(array + 1))) * 1.7d0**mod(i + array, 9)
    end do
    x(1) = 0
    if (array == 1) x(1) = 1
    if (array == 0) x(1) = 1d16
    if (array == ranks - 1) x(1) = -1d16
  end subroutine fill

end program ranks_of_fortran
