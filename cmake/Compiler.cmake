# Language level, warnings, sanitizers, ccache and linker: what every target of ours shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
add_compile_options(-pthread)  # some of our libraries ask for it; precompiled headers want it everywhere

set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG -fno-plt")
set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g1 -fno-omit-frame-pointer")

find_program(CCACHE ccache)
if(CCACHE)
  # Precompiled headers need the sloppiness: their time stamps differ between build trees.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fpch-preprocess)  # lets the compiler's cache see through precompiled headers
  # No unit of ours is so large that its compiler should stop to collect garbage.
  add_compile_options("SHELL:--param ggc-min-heapsize=1048576" "SHELL:--param ggc-min-expand=300")
  add_link_options(-fuse-ld=mold)
  # Code for faults and for start-up in pages of its own, so that it does not sit in memory between the rest.
  add_link_options($<$<CONFIG:Release>:-Wl,-z,keep-text-section-prefix>)
else()
  add_link_options(-fuse-ld=lld-16)
endif()

add_library(chandler_options INTERFACE)
target_compile_options(chandler_options INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
target_include_directories(chandler_options INTERFACE "${CMAKE_SOURCE_DIR}/src")
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(chandler_options INTERFACE -Wthread-safety)
else()
  # GCC 12 warns falsely about strings and variants that the optimizer has inlined.
  target_compile_options(chandler_options INTERFACE
    -Wno-restrict -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
endif()
if(CHANDLER_SANITIZE)
  add_compile_options(-fsanitize=${CHANDLER_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CHANDLER_SANITIZE})
endif()
if(CHANDLER_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
