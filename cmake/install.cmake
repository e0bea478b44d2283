# SPDX-License-Identifier: Apache-2.0
# Where things go: the tool finds its other parts from where it stands (bin/, lib/treadle/, include/).
include(CMakePackageConfigHelpers)

install(TARGETS treadle RUNTIME DESTINATION bin)
install(TARGETS TreadlePass LIBRARY DESTINATION lib/treadle)
install(TARGETS treadle_rt treadle_record_rt ARCHIVE DESTINATION lib/treadle)
install(FILES src/subject/treadle_gdb.py DESTINATION lib/treadle)
install(DIRECTORY include/treadle DESTINATION include)
foreach(name treadle-cc treadle-c++)
  install(CODE "execute_process(COMMAND \${CMAKE_COMMAND} -E create_symlink treadle \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin/${name}\")")
endforeach()

# The manual and the completions come from the tool itself.
set(generated ${CMAKE_BINARY_DIR}/generated)
add_custom_command(
  OUTPUT ${generated}/treadle.1 ${generated}/treadle.bash ${generated}/_treadle ${generated}/treadle.fish
  COMMAND ${CMAKE_COMMAND} -E make_directory ${generated}
  COMMAND $<TARGET_FILE:treadle> man > ${generated}/treadle.1
  COMMAND $<TARGET_FILE:treadle> completions bash > ${generated}/treadle.bash
  COMMAND $<TARGET_FILE:treadle> completions zsh > ${generated}/_treadle
  COMMAND $<TARGET_FILE:treadle> completions fish > ${generated}/treadle.fish
  DEPENDS treadle VERBATIM)
add_custom_target(manual ALL DEPENDS ${generated}/treadle.1)
install(FILES ${generated}/treadle.1 DESTINATION share/man/man1)
install(FILES ${generated}/treadle.bash DESTINATION share/bash-completion/completions RENAME treadle)
install(FILES ${generated}/_treadle DESTINATION share/zsh/site-functions)
install(FILES ${generated}/treadle.fish DESTINATION share/fish/vendor_completions.d)

write_basic_package_version_file(${generated}/TreadleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/TreadleConfig.cmake ${generated}/TreadleConfigVersion.cmake DESTINATION lib/cmake/Treadle)
file(WRITE ${generated}/treadle.pc
"prefix=\${pcfiledir}/../..
cc=\${prefix}/bin/treadle-cc
cxx=\${prefix}/bin/treadle-c++

Name: treadle
Description: What a program under test may tell Treadle
Version: ${PROJECT_VERSION}
Cflags: -I\${prefix}/include
")
install(FILES ${generated}/treadle.pc DESTINATION share/pkgconfig)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION share/doc/treadle)
install(DIRECTORY docs/ DESTINATION share/doc/treadle/docs)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME treadle)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "find, replay and rule out concurrency bugs in C and C++ programs")
set(CPACK_PACKAGE_CONTACT "The Treadle authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF)  # the runtime's symbols tell the tool's frames from the user's
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "clang-19")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gdb")
include(CPack)
