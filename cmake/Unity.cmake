# Compiling several files in one unit saves the headers and templates they share: half of the time of a clean build.
# chandler_unity(target files...): groups the files of a target; which may go together says tools/unity_groups.py.
option(CHANDLER_UNITY "Compile files in groups: for clean builds; single files build faster without" OFF)
set(CHANDLER_UNITY_SIZE 16 CACHE STRING "Files in a group, at most")

find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(chandler_unity target)
  if(NOT CHANDLER_UNITY OR NOT ARGN)
    return()
  endif()
  execute_process(
    COMMAND ${Python3_EXECUTABLE} "${CMAKE_SOURCE_DIR}/tools/unity_groups.py" ${CHANDLER_UNITY_SIZE} ${ARGN}
    OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "|" lines "${lines}")
  string(REPLACE "\n" ";" lines "${lines}")
  foreach(line ${lines})
    string(REGEX MATCH "^([0-9]+)\\|(.*)$" _ "${line}")
    set_source_files_properties("${CMAKE_MATCH_2}" PROPERTIES UNITY_GROUP "${target}_${CMAKE_MATCH_1}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A file in a group is not the main file of its unit, so GCC fears that others might see its private types too.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  # A file that gains a name may have to leave its group.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
endfunction()
