! Sums in Fortran, and what goes wrong without exactness.
!
!   gfortran foldline.f90 totals.f90 $(pkg-config --libs foldline_c) && ./a.out
program totals
  use, intrinsic :: iso_c_binding
  use foldline
  implicit none

  real(c_double), target :: x(4) = [1d16, 1d0, 1d0, -1d16], a(2, 3) = reshape([1d0, 2d0, 3d0, 4d0, 5d0, 6d0], [2, 3])
  real(c_double), target :: total, columns(3)
  integer(c_int64_t), target :: shape_x(1), shape_a(2), strides_a(2), shape_columns(1)
  type(foldline_array) :: numbers, matrix, out

  numbers = vector_of(x, shape_x)
  call require(foldline_reduce(foldline_sum, numbers, foldline_default_ddof, number_of(total), c_null_ptr))
  print '(a,f4.1,a,f4.1)', 'sum() ', sum(x), ', foldline ', total

  matrix = matrix_of(a, shape_a, strides_a)
  out = vector_of(columns, shape_columns)
  call require(foldline_reduce_axis(foldline_sum, matrix, 0_c_int64_t, foldline_default_ddof, out, c_null_ptr))
  print '(a,3f5.1)', 'columns ', columns

  if (foldline_reduce_pairs(foldline_dot, numbers, out, number_of(total), c_null_ptr) == foldline_ok) error stop 'no error'
  print '(a)', foldline_message()

contains

  subroutine require(status)
    integer(c_int32_t), intent(in) :: status
    if (status == foldline_ok) return
    print '(a)', foldline_message()
    error stop 1
  end subroutine
end program
