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
else()
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")  # the same, for a tree that is built anew
  add_link_options(-fuse-ld=lld-16)
endif()
# Code for faults and for start-up in pages of its own, so that it does not sit in memory between the rest.
add_link_options($<$<CONFIG:Release>:-Wl,-z,keep-text-section-prefix>)

# What ships is hardened (docs/adr/0040): a fault in memory ends the process instead of running what an attacker wrote.
# Other builds are not: sanitizers find more, and debug builds have no optimizer, which _FORTIFY_SOURCE needs.
option(CHANDLER_HARDEN "Harden release builds; off only to measure what it costs" ON)
if(CHANDLER_HARDEN AND CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_options(-fPIE -fstack-protector-strong -fstack-clash-protection -fcf-protection=full
    -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  add_link_options(-pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()

# What ships is optimized for what it does most: a profile that goes with the source tells the compiler how often each
# branch is taken. scripts/profile makes it anew. Code that has changed since is compiled as if there were none.
option(CHANDLER_TRAIN "Build programs that write such a profile when they end" OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_BUILD_TYPE STREQUAL "Release")
  # What is private to a file goes by the name of that file, wherever the build tree lies.
  add_compile_options("SHELL:-mllvm -static-func-full-module-prefix=false")
  if(CHANDLER_TRAIN)
    add_compile_options(-fprofile-generate -fprofile-update=atomic)
    add_link_options(-fprofile-generate)
  else()
    # A copy by its contents, so that a new profile is a new flag and everything is compiled again.
    set(profile "${CMAKE_SOURCE_DIR}/profile/chandler.profdata")
    file(SHA256 "${profile}" hash)
    string(SUBSTRING ${hash} 0 16 hash)
    file(COPY_FILE "${profile}" "${CMAKE_BINARY_DIR}/${hash}.profdata" ONLY_IF_DIFFERENT)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${profile}")
    add_compile_options(-fprofile-use=${CMAKE_BINARY_DIR}/${hash}.profdata -Wno-backend-plugin)
  endif()
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
  add_compile_definitions(CHANDLER_SANITIZED) # for tests of cost: a sanitizer has costs of its own
endif()
if(CHANDLER_COVERAGE)
  # Paths as in the repository, wherever the build tree lies: the compiler's cache is shared between trees.
  add_compile_options(-fprofile-instr-generate -fcoverage-mapping -fcoverage-prefix-map=${CMAKE_SOURCE_DIR}=.)
  add_link_options(-fprofile-instr-generate)
elseif(CHANDLER_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
