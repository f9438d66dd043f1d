# Records targets of a CMake project with fisql, whatever compilers and toolchain it has (CMake 3.21 and newer):
#
#   include(fisql)                  with -DCMAKE_MODULE_PATH=.../share/fisql/cmake, or include(/usr/share/fisql/cmake/fisql.cmake)
#   fisql_instrument(app library)   what these targets compile calls the hooks, and `fisql record` records it
#
# -DFISQL=OFF leaves all of it out. FISQL_PROGRAM is the program fisql, FISQL_CC_OPTIONS are options of `fisql cc`, a list.
option(FISQL "Compile what fisql_instrument() names with fisql cc" ON)
set(FISQL_CC_OPTIONS "" CACHE STRING "Options of fisql cc, separated by semicolons")

if(FISQL)
  if(CMAKE_VERSION VERSION_LESS 3.21)
    message(FATAL_ERROR "fisql.cmake needs CMake 3.21: before, there is nothing that runs the linker")
  endif()
  find_program(FISQL_PROGRAM fisql HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin" REQUIRED)
endif()

function(fisql_instrument)
  if(NOT FISQL)
    return()
  endif()
  set(compiler ${FISQL_PROGRAM} cc ${FISQL_CC_OPTIONS})
  foreach(target IN LISTS ARGN)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "fisql_instrument: there is no target ${target}")
    endif()
    foreach(language C CXX OBJC OBJCXX Fortran)
      # What is there, ccache say, runs the compiler; fisql cc runs a compiler only.
      get_target_property(launcher ${target} ${language}_COMPILER_LAUNCHER)
      if(launcher)
        message(STATUS "fisql_instrument: ${target}: fisql cc takes the place of ${launcher}")
      endif()
      set_target_properties(${target} PROPERTIES
        ${language}_COMPILER_LAUNCHER "${compiler}"
        ${language}_LINKER_LAUNCHER "${compiler}")
    endforeach()
  endforeach()
endfunction()
