# SPDX-License-Identifier: Apache-2.0
# A runtime that stands in front of the C library has its names; the program's own definitions win where that is harmless.
set(TREADLE_NAMES_OF_THE_PROGRAM ${CMAKE_CURRENT_LIST_DIR}/../src/runtime/names_of_the_program.txt)

function(treadle_let_the_program_have_names archive)
  add_custom_command(TARGET ${archive} POST_BUILD VERBATIM
    COMMAND ${CMAKE_OBJCOPY} --weaken-symbols=${TREADLE_NAMES_OF_THE_PROGRAM} $<TARGET_FILE:${archive}>
    COMMENT "Letting the program have names of the C library")
endfunction()
