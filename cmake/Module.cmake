# chandler_module(NAME [PATH folder] [WITHOUT folder...] [DEPS module...] [LIBS library...]): a static library of all
# src/NAME/**/*.cc (or src/PATH) and one test program of all its *_test.cc. A file that is in the folder is in the
# build: no test can be forgotten. WITHOUT names folders below it that are modules of their own.
# Headers that nearly every file needs and that take seconds to read: parsed once for the libraries, once for the tests.
set(CHANDLER_COMMON_HEADERS <boost/json.hpp> <fmt/format.h> <functional> <map> <memory> <optional> <string> <vector>)

# Tests are built to be built quickly; what they test is built as it ships.
add_library(chandler_test_options INTERFACE)
target_compile_options(chandler_test_options INTERFACE $<$<NOT:$<CONFIG:Debug>>:-O0>
  "$<$<CONFIG:Release>:-g0;-U_FORTIFY_SOURCE>")  # which needs the optimizer
if(CHANDLER_FUZZ AND NOT CHANDLER_COVERAGE)
  target_compile_options(chandler_test_options INTERFACE -fno-sanitize=fuzzer-no-link)  # steers fuzzers, not tests
endif()

# With sanitizers most modules are built quickly as well. Those on which tests and fuzzers spend their time are not:
# there the optimizer saves more than it takes.
set(CHANDLER_BUSY_MODULES base json meta cel resolve storage osb)
add_library(chandler_quick_options INTERFACE)
target_compile_options(chandler_quick_options INTERFACE $<$<CONFIG:Sanitize>:-O0>)

add_custom_target(unit_tests)  # all test programs of modules

function(chandler_precompiled target)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/${target}.cc" CONTENT "// Only here to carry the precompiled header.\n")
  add_library(${target} OBJECT "${CMAKE_BINARY_DIR}/${target}.cc")
  target_link_libraries(${target} PRIVATE chandler_options fmt::fmt spdlog::spdlog_header_only Threads::Threads Boost::headers)
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()
chandler_precompiled(chandler_common ${CHANDLER_COMMON_HEADERS})
if(CMAKE_BUILD_TYPE STREQUAL "Sanitize")
  chandler_precompiled(chandler_quick_common ${CHANDLER_COMMON_HEADERS})
  target_link_libraries(chandler_quick_common PRIVATE chandler_quick_options)
endif()
chandler_precompiled(chandler_test_common ${CHANDLER_COMMON_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)
target_link_libraries(chandler_test_common PRIVATE chandler_test_options GTest::gmock GTest::gtest)

function(chandler_module name)
  cmake_parse_arguments(M "" "PATH" "DEPS;LIBS;TEST_DEPS;WITHOUT" ${ARGN})
  if(NOT M_PATH)
    set(M_PATH ${name})
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${M_PATH}/*.cc")
  foreach(folder ${M_WITHOUT})
    list(FILTER sources EXCLUDE REGEX "/src/${M_PATH}/${folder}/")
  endforeach()
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  set(modules ${name} ${M_DEPS})
  list(TRANSFORM M_DEPS PREPEND chandler_)
  list(TRANSFORM M_TEST_DEPS PREPEND chandler_)
  if(sources)
    add_library(chandler_${name} STATIC ${sources})
    chandler_unity(chandler_${name} ${sources})
    target_link_libraries(chandler_${name} PUBLIC ${M_DEPS} ${M_LIBS} PRIVATE chandler_options)
    target_include_directories(chandler_${name} PUBLIC "${CMAKE_SOURCE_DIR}/src")
    set(common chandler_common)
    if(CMAKE_BUILD_TYPE STREQUAL "Sanitize" AND NOT name IN_LIST CHANDLER_BUSY_MODULES)
      set(common chandler_quick_common)
      target_link_libraries(chandler_${name} PRIVATE chandler_quick_options)
    endif()
    if(json IN_LIST modules)
      target_precompile_headers(chandler_${name} REUSE_FROM ${common})
    endif()
  else()
    add_library(chandler_${name} INTERFACE)
    target_link_libraries(chandler_${name} INTERFACE ${M_DEPS} ${M_LIBS})
    target_include_directories(chandler_${name} INTERFACE "${CMAKE_SOURCE_DIR}/src")
  endif()

  if(tests)
    add_executable(${name}_tests ${tests})
    chandler_unity(${name}_tests ${tests})
    target_link_libraries(${name}_tests PRIVATE chandler_${name} ${M_TEST_DEPS} chandler_support chandler_options
      chandler_test_options GTest::gmock GTest::gtest GTest::gtest_main)
    target_include_directories(${name}_tests PRIVATE "${CMAKE_SOURCE_DIR}/tests")
    if(json IN_LIST modules)
      target_precompile_headers(${name}_tests REUSE_FROM chandler_test_common)
    endif()
    add_dependencies(unit_tests ${name}_tests)
    add_test(NAME ${name} COMMAND ${name}_tests)
    set_tests_properties(${name} PROPERTIES LABELS "unit;${name}" TIMEOUT 300)
  endif()
endfunction()
