# SPDX-License-Identifier: Apache-2.0
# The page of the HTML report: TypeScript, made into one script by esbuild from npm and embedded into the tool.
option(TREADLE_HTML "make the HTML report's page, which needs npm" ON)
set(TREADLE_WEB ${CMAKE_BINARY_DIR}/web)  # npm's packages and what is made with them; the tests of the page use them too

function(treadle_front_end target)
  set(from ${CMAKE_SOURCE_DIR}/src/report/web)
  set(made ${TREADLE_WEB}/html_front_end.cpp)
  if(NOT TREADLE_HTML)
    file(WRITE ${made} "#include \"report/html_front_end.h\"\nstd::string_view treadle::html_script() { return {}; }\nstd::string_view treadle::html_style() { return {}; }\n")
    target_sources(${target} PRIVATE ${made})
    return()
  endif()

  find_program(NODE node)
  find_program(NPM npm)
  if(NOT NODE OR NOT NPM)
    message(FATAL_ERROR "The HTML report is built with node and npm, which are missing: 'make setup' installs them, -DTREADLE_HTML=OFF does without.")
  endif()
  add_custom_command(
    OUTPUT ${TREADLE_WEB}/packages.stamp
    DEPENDS ${from}/package.json ${from}/package-lock.json
    COMMAND ${CMAKE_COMMAND} -E copy ${from}/package.json ${from}/package-lock.json ${TREADLE_WEB}
    COMMAND sh -c "'${NPM}' ci --ignore-scripts --no-audit --no-fund --loglevel=error --prefer-offline --fetch-retries=2 --fetch-timeout=60000 || { echo 'npm could not fetch the packages of the HTML report (src/report/web/package-lock.json); -DTREADLE_HTML=OFF builds without it.'; exit 1; }"
    COMMAND ${CMAKE_COMMAND} -E touch ${TREADLE_WEB}/packages.stamp
    WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/web
    COMMENT "Fetching the packages of the HTML report"
    VERBATIM)
  file(MAKE_DIRECTORY ${TREADLE_WEB})
  file(GLOB sources CONFIGURE_DEPENDS ${from}/*.ts ${from}/*.css)
  add_custom_command(
    OUTPUT ${made}
    DEPENDS ${sources} ${from}/build.mjs ${TREADLE_WEB}/packages.stamp
    COMMAND ${NODE} ${from}/build.mjs ${TREADLE_WEB} ${made}
    COMMENT "Bundling the HTML report"
    VERBATIM)
  target_sources(${target} PRIVATE ${made})
endfunction()
