! Calls with arguments of Fortran's types, by reference and by value: tests/e2e/values_gdb.sh.
module kinds
  implicit none
  integer :: sink = 0
contains
  integer function numbers(a, b, c, d)
    integer, intent(in) :: a
    integer(8), intent(in) :: b
    real, intent(in) :: c
    double precision, intent(inout) :: d
    d = d + c
    numbers = a + int(b)
  end function
  double precision function by_value(a, b)
    integer, value :: a
    double precision, value :: b
    by_value = a + b
  end function
  subroutine text(words, flag)
    character(len=*), intent(in) :: words
    logical, intent(in) :: flag
    if (flag) sink = sink + len(words)
  end subroutine
  recursive integer function factorial(n) result(r)
    integer, intent(in) :: n
    r = 1
    if (n > 1) r = n * factorial(n - 1)
  end function
end module
program types
  use kinds
  implicit none
  double precision :: d = 2.5d0
  integer :: i
  do i = 1, 3
    sink = sink + numbers(i, 10000000000_8 + i, 1.5, d)
    sink = sink + int(by_value(-i, 0.25d0))
    call text('words', mod(i, 2) == 0)
  end do
  sink = sink + factorial(5)
  print *, sink /= 0
end program
