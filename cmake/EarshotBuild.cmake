# Compiler settings and the two functions every folder uses: earshot_library() and earshot_test().
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# -O2, because the hot loops are BLAS calls and modular multiplications and building has to be quick on two cores; the
# sanitizer and fuzz builds (RelWithDebInfo) are instrumented and large, so they are optimised less.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")

find_program(EARSHOT_CCACHE ccache)
if(EARSHOT_CCACHE)
  # Precompiled headers are only cached when ccache is told how they are used. Paths are taken relative to the checkout,
  # so that a second checkout finds what the first has built, unless clang's precompiled headers are in it: these name
  # their files by absolute path.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
      CCACHE_NOHASHDIR=1 ${EARSHOT_CCACHE})
endif()

add_library(earshot_flags INTERFACE)
target_compile_options(earshot_flags INTERFACE -Wall -Wextra -Werror)
# Everywhere the same (the torch engine is a module that carries a copy of the libraries), so that precompiled headers can
# be shared by libraries and programs.
target_compile_options(earshot_flags INTERFACE -fPIC)
# Results must not depend on which code path the compiler fused: no contraction of a*b+c.
target_compile_options(earshot_flags INTERFACE -ffp-contract=off)
if(EARSHOT_SANITIZE)
  target_compile_options(earshot_flags INTERFACE -fsanitize=${EARSHOT_SANITIZE} -fno-sanitize-recover=all
                                                 -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(earshot_flags INTERFACE -fsanitize-ignorelist=${CMAKE_SOURCE_DIR}/cmake/sanitizers.ignore)
  endif()
  target_link_options(earshot_flags INTERFACE -fsanitize=${EARSHOT_SANITIZE})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # The same precompiled headers whenever they are made, so that what uses them can be cached.
  target_compile_options(earshot_flags INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
  # libstdc++'s std::stable_sort uses what libstdc++ itself deprecates.
  target_compile_options(earshot_flags INTERFACE -Wno-deprecated-declarations)
  target_link_options(earshot_flags INTERFACE -fuse-ld=lld)
endif()
if(EARSHOT_FUZZ)
  # The fuzzer steers by the branches taken inside the libraries, so they are instrumented as well.
  target_compile_options(earshot_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# What nearly every file reads, compiled once for all libraries and once for all tests: a third of the building time.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
function(earshot_headers target)
  cmake_parse_arguments(ARG "" "" "HEADERS;LINK" ${ARGN})
  file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/${target}.cpp" CONTENT "// Carries precompiled headers.\n")
  add_library(${target} STATIC "${CMAKE_BINARY_DIR}/${target}.cpp")
  target_link_libraries(${target} PRIVATE earshot_flags fmt::fmt nlohmann_json::nlohmann_json ${ARG_LINK})
  target_precompile_headers(${target} PRIVATE <algorithm> <cstdint> <filesystem> <functional> <map> <memory> <optional> <span>
    <string> <string_view> <variant> <vector> <fmt/format.h> <nlohmann/json.hpp> ${ARG_HEADERS})
endfunction()
earshot_headers(earshot_library_headers)
if(EARSHOT_TESTS)
  find_package(GTest REQUIRED)
  earshot_headers(earshot_test_headers HEADERS <gmock/gmock.h> <gtest/gtest.h> LINK GTest::gmock GTest::gtest)
endif()

# earshot_library(folder [SOURCES ...] [DEPENDS folder ...] [LINK external ...])
#
# One library per folder. Its public include directory holds nothing but a link to that folder, so a file can include
# only its own folder and the folders it depends on: an include that points the wrong way does not compile.
function(earshot_library folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  string(REPLACE "/" "_" target "earshot_${folder}")
  set(root "${CMAKE_BINARY_DIR}/include/${folder}")
  get_filename_component(parent "${root}/earshot/${folder}" DIRECTORY)
  file(MAKE_DIRECTORY "${parent}")
  if(NOT EXISTS "${root}/earshot/${folder}")
    file(CREATE_LINK "${CMAKE_SOURCE_DIR}/src/earshot/${folder}" "${root}/earshot/${folder}" SYMBOLIC)
  endif()
  add_library(${target} STATIC ${ARG_SOURCES})
  target_include_directories(${target} PUBLIC "${root}")
  set(depends "")
  foreach(dependency IN LISTS ARG_DEPENDS)
    string(REPLACE "/" "_" dependency "${dependency}")
    list(APPEND depends "earshot_${dependency}")
  endforeach()
  target_link_libraries(${target} PUBLIC earshot_flags ${depends} ${ARG_LINK})
  target_precompile_headers(${target} REUSE_FROM earshot_library_headers)
endfunction()

configure_file("${CMAKE_SOURCE_DIR}/cmake/source_dir.hpp.in" "${CMAKE_BINARY_DIR}/include/tests/source_dir.hpp")

# earshot_test(folder SOURCES ... [DEPENDS folder ...] [LINK ...] [HEADERS ...]): the folder's GoogleTest program, run by
# ctest. HEADERS are precompiled for it alone, instead of those all tests share.
function(earshot_test folder)
  if(NOT EARSHOT_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK;HEADERS" ${ARGN})
  string(REPLACE "/" "_" target "earshot_${folder}_test")
  string(REPLACE "/" "_" library "earshot_${folder}")
  set(depends "")
  foreach(dependency IN LISTS ARG_DEPENDS)
    string(REPLACE "/" "_" dependency "${dependency}")
    list(APPEND depends "earshot_${dependency}")
  endforeach()
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE ${library} ${depends} earshot_flags GTest::gmock GTest::gtest_main ${ARG_LINK})
  if(ARG_HEADERS)
    target_precompile_headers(${target} PRIVATE ${ARG_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)
  else()
    target_precompile_headers(${target} REUSE_FROM earshot_test_headers)
  endif()
  target_include_directories(${target} PRIVATE "${CMAKE_BINARY_DIR}/include/tests")
  add_test(NAME ${folder} COMMAND ${target})
  set_tests_properties(${folder} PROPERTIES LABELS "unit" SKIP_REGULAR_EXPRESSION "")
endfunction()

# earshot_vectorise(source...): loops over numbers (core/vectorised.hpp). Without these options the compiler leaves square roots and
# comparisons scalar, for the sake of errno and of floating-point exceptions that nobody looks at.
function(earshot_vectorise)
  set_source_files_properties(${ARGN} PROPERTIES
    COMPILE_OPTIONS "-O3;-fno-math-errno;-fno-trapping-math" SKIP_PRECOMPILE_HEADERS ON)
endfunction()
