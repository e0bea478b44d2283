# SPDX-License-Identifier: Apache-2.0
# How the tool and its tests are compiled. That is half of the time `make test` takes on a fresh clone, so what does not matter is not paid
# for.

# A backtrace wants lines, not types. The runtimes, which a debugger shows, ask for all of it themselves.
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-g1>)

# The tool knows frames of the runtimes by this name of their sources, wherever those were compiled.
set(TREADLE_SOURCES_NAME /usr/src/treadle)
# The cache hands the compiler names that begin where the build does.
file(RELATIVE_PATH up_to_sources ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
set(TREADLE_NAMED_SOURCES -ffile-prefix-map=${CMAKE_SOURCE_DIR}=${TREADLE_SOURCES_NAME}
  -ffile-prefix-map=${up_to_sources}src=${TREADLE_SOURCES_NAME}/src)

# A compiler cache answers for every clone, wherever it stands. CCACHE_PCH_EXTSUM: precompiled headers are told apart by what was compiled
# (see below).
find_program(CCACHE ccache)
cmake_path(IS_PREFIX CMAKE_SOURCE_DIR ${CMAKE_BINARY_DIR} NORMALIZE TREADLE_BUILDS_INSIDE)
if(CCACHE)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1)
  if(TREADLE_BUILDS_INSIDE)
    list(APPEND launcher CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1)
  endif()
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher} ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher} ${CCACHE})
endif()

# Headers of the libraries, read once for each set of flags. Off: every file is held to what it includes itself.
option(TREADLE_PRECOMPILE "compile the headers of the standard library and others once" ON)
set(standard_headers <algorithm> <array> <cstdint> <cstdio> <cstdlib> <cstring> <deque> <filesystem> <functional> <map> <memory> <optional>
  <set> <span> <string> <string_view> <tuple> <unordered_map> <unordered_set> <utility> <variant> <vector>)

# treadle_headers(NAME [HEADERS …] [OPTIONS …] [DEFINITIONS …]): what targets that are compiled like this have in common.
function(treadle_headers name)
  cmake_parse_arguments(ARG "" "" "HEADERS;OPTIONS;DEFINITIONS" ${ARGN})
  if(NOT TREADLE_PRECOMPILE OR NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    return()
  endif()
  set(target treadle_headers_${name})
  set(folder ${CMAKE_BINARY_DIR}/headers/${name})
  file(CONFIGURE OUTPUT ${folder}/nothing.cpp CONTENT "")
  add_library(${target} STATIC ${folder}/nothing.cpp)
  target_compile_options(${target} PRIVATE ${ARG_OPTIONS} -Xclang -fno-pch-timestamp)
  target_compile_definitions(${target} PRIVATE ${ARG_DEFINITIONS})
  target_precompile_headers(${target} PRIVATE ${standard_headers} ${ARG_HEADERS})
  # Not from the cache: it holds names of this tree. The cache sees what the headers say instead.
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "")
  list(TRANSFORM standard_headers REPLACE "(.+)" "#include \\1\n" OUTPUT_VARIABLE text)
  list(TRANSFORM ARG_DEFINITIONS PREPEND -D)
  list(TRANSFORM ARG_HEADERS REPLACE "(.+)" "#include \\1\n")
  list(JOIN text "" text)
  list(JOIN ARG_HEADERS "" more)
  file(CONFIGURE OUTPUT ${folder}/all.cpp CONTENT "${text}${more}" @ONLY)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.pch)
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM
    COMMAND ${CMAKE_CXX_COMPILER} ${ARG_OPTIONS} ${ARG_DEFINITIONS} -std=c++20 -E -P ${folder}/all.cpp -o ${folder}/all.txt
    COMMAND ${CMAKE_COMMAND} -E sha256sum all.txt > ${made}.sum
    WORKING_DIRECTORY ${folder})
  # Whoever depends on a library waits for it when linking; on a target like this one, before compiling.
  add_custom_target(${target}_made DEPENDS ${target})
endfunction()

# Not by REUSE_FROM, which names a file of this tree in a way that the cache does not see through.
function(treadle_use_headers target name)
  set(headers treadle_headers_${name})
  if(TARGET ${headers})
    get_target_property(folder ${headers} BINARY_DIR)
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -include-pch -Xclang ${folder}/CMakeFiles/${headers}.dir/cmake_pch.hxx.pch>")
    add_dependencies(${target} ${headers}_made)
  endif()
endfunction()

# Tests are compiled once and run for a moment.
set(TREADLE_TEST_OPTIONS -O0)
treadle_headers(library HEADERS <fmt/format.h>)
treadle_headers(json HEADERS <fmt/format.h> <nlohmann/json.hpp>)
treadle_headers(tests HEADERS <fmt/format.h> <gtest/gtest.h> OPTIONS ${TREADLE_TEST_OPTIONS}
  DEFINITIONS GTEST_HAS_PTHREAD=1)  # as GTest::gtest says
