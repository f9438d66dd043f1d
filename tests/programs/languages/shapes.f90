module shapes
  implicit none
contains
  recursive integer function factorial(n) result(r)
    integer, intent(in) :: n
    if (n <= 1) then
      r = 1
    else
      r = n * factorial(n - 1)
    end if
  end function
  subroutine grow(list)
    integer, allocatable, intent(inout) :: list(:)
    if (allocated(list)) deallocate(list)
    allocate(list(100))
    list = helper(3)
  contains
    integer function helper(k)
      integer, intent(in) :: k
      helper = k * 2
    end function
  end subroutine
end module
subroutine outside(n)
  integer n
  n = n + 1
end subroutine
program main_program
  use shapes
  implicit none
  integer :: i, s
  integer, allocatable :: list(:)
  s = 0
  do i = 1, 5
    call grow(list)
    call outside(s)
  end do
  s = s + factorial(6) + list(1)
  print *, s
end program
