! What a Fortran program needs of foldline.h: copy this file to yours and add what you call. Arrays are the caller's,
! of any strides; those of foldline_array count elements.
module foldline
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: foldline_array, foldline_reduce, foldline_reduce_pairs, foldline_reduce_axis, foldline_message, vector_of, matrix_of, &
    number_of

  integer(c_int32_t), parameter, public :: foldline_ok = 0, foldline_float64 = 3
  integer(c_int32_t), parameter, public :: foldline_sum = 0, foldline_two_norm = 2, foldline_mean = 3, foldline_dot = 5
  integer(c_int64_t), parameter, public :: foldline_default_ddof = -1

  type, bind(c) :: foldline_array
    type(c_ptr) :: data
    integer(c_int32_t) :: type, axes
    type(c_ptr) :: shape, strides
  end type

  interface
    integer(c_int32_t) function foldline_reduce(operation, x, ddof, result, context) bind(c)
      import
      integer(c_int32_t), value :: operation
      type(foldline_array), intent(in) :: x, result
      integer(c_int64_t), value :: ddof
      type(c_ptr), value :: context
    end function

    integer(c_int32_t) function foldline_reduce_pairs(operation, x, y, result, context) bind(c)
      import
      integer(c_int32_t), value :: operation
      type(foldline_array), intent(in) :: x, y, result
      type(c_ptr), value :: context
    end function

    integer(c_int32_t) function foldline_reduce_axis(operation, a, axis, ddof, out, context) bind(c)
      import
      integer(c_int32_t), value :: operation
      type(foldline_array), intent(in) :: a, out
      integer(c_int64_t), value :: axis, ddof
      type(c_ptr), value :: context
    end function

    type(c_ptr) function foldline_last_message() bind(c)
      import
    end function

    integer(c_size_t) function strlen(text) bind(c)
      import
      type(c_ptr), value :: text
    end function
  end interface

contains

  ! A contiguous vector. `shape` has to stay as long as the result is used.
  type(foldline_array) function vector_of(x, shape)
    real(c_double), intent(in), target, contiguous :: x(:)
    integer(c_int64_t), intent(out), target :: shape(1)
    shape = size(x, kind=c_int64_t)
    vector_of = foldline_array(c_loc(x), foldline_float64, 1, c_loc(shape), c_null_ptr)
  end function

  ! A contiguous matrix, column by column, as Fortran has it: axis 0 is down a column, axis 1 along a row.
  type(foldline_array) function matrix_of(a, shape, strides)
    real(c_double), intent(in), target, contiguous :: a(:, :)
    integer(c_int64_t), intent(out), target :: shape(2), strides(2)
    shape = int(ubound(a), c_int64_t)
    strides = [1_c_int64_t, shape(1)]
    matrix_of = foldline_array(c_loc(a), foldline_float64, 2, c_loc(shape), c_loc(strides))
  end function

  ! One number, for a result.
  type(foldline_array) function number_of(x)
    real(c_double), intent(in), target :: x
    number_of = foldline_array(c_loc(x), foldline_float64, 0, c_null_ptr, c_null_ptr)
  end function

  ! What is wrong, of the last call that failed.
  function foldline_message() result(message)
    character(:), allocatable :: message
    character(kind=c_char), pointer :: text(:)
    type(c_ptr) :: address
    integer :: i, length
    address = foldline_last_message()
    length = int(strlen(address))
    call c_f_pointer(address, text, [length])
    allocate (character(length) :: message)
    do i = 1, length
      message(i:i) = text(i)
    end do
  end function
end module
