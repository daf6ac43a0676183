# One file, one CTest test. tests/unit/base/test_arena.c becomes the test unit.base.arena with the label unit. What
# returns 77 is shown as skipped.
#   tests/{unit,paper,golden,fault}   cmocka programs; see internal headers (src/) and tests/support
#   tests/public                      cmocka programs that see only the public headers
#   tests/core                        cmocka programs that link the core alone; so do those of tests/golden, once more
#   tests/cli                         shell scripts: $BRISTLE is the program, $BRISTLE_SOURCE the source folder; each
#                                     starts in an empty folder of its own
#   tests/browser                     the report page in Chromium, with Node
#   tests/fuzz                        fuzz targets; as tests they read their corpus and a fixed series of mutants
#   tests/long                        either kind; only `ctest -C Long` (make test-long) runs them
#   tests/python                      python/bristle.py, by the system's Python (the one that Debian's NumPy is for)
#   examples                          programs of the README; the test is that they build, run and return 0
#   tools/check-*                     rules about the tree itself

set(BRISTLE_TEST_TIMEOUT 300) # seconds, for one test program
if(BRISTLE_SANITIZE OR BRISTLE_COVERAGE) # many times slower, and each is to come to its end
    set(BRISTLE_TEST_TIMEOUT 3600)
endif()
set(BRISTLE_FUZZ_MUTANTS 2000) # that each fuzz target reads in a test

bristle_dependency(bristle_cmocka cmocka.h LIBRARIES cmocka)
bristle_dependency(bristle_fclib fclib.h LIBRARIES fclib INCLUDE_SUFFIXES fclib)

set(BRISTLE_TEST_ENVIRONMENT BRISTLE=${PROJECT_BINARY_DIR}/bristle BRISTLE_SOURCE=${PROJECT_SOURCE_DIR})
list(APPEND BRISTLE_TEST_ENVIRONMENT "BRISTLE_SANITIZE=${BRISTLE_SANITIZE}")
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
string(STRIP "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${build_type}}" build_flags)
list(APPEND BRISTLE_TEST_ENVIRONMENT "BRISTLE_BUILD=${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION} ${build_flags}")
if(BRISTLE_SANITIZE)
    # Third-party libraries may keep memory until exit; what counts is ours.
    list(APPEND BRISTLE_TEST_ENVIRONMENT "UBSAN_OPTIONS=print_stacktrace=1")
endif()

function(bristle_test_properties name label configuration)
    set_tests_properties(${name} PROPERTIES
        LABELS ${label} TIMEOUT ${BRISTLE_TEST_TIMEOUT} SKIP_RETURN_CODE 77
        ENVIRONMENT "${BRISTLE_TEST_ENVIRONMENT}")
    if(configuration)
        set_tests_properties(${name} PROPERTIES TIMEOUT 7200)
    endif()
endfunction()

add_custom_target(unit_tests) # every program of tests/unit

function(bristle_cmocka_test file configuration)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR}/tests ${file})
    string(REGEX REPLACE "/test_([^/]*)\\.c$" ".\\1" name ${path})
    string(REPLACE "/" "." name ${name})
    string(REGEX REPLACE "\\..*" "" label ${name})
    if(name MATCHES "fclib" AND NOT TARGET bristle_fclib)
        message(STATUS "Test ${name} left out: libfclib was not found")
        return()
    endif()

    set(target test_${name})
    add_executable(${target} ${file})
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_compile_definitions(${target} PRIVATE _DEFAULT_SOURCE BRISTLE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_include_directories(${target} PRIVATE tests/support)
    if(NOT label STREQUAL "public")
        target_include_directories(${target} PRIVATE src)
        target_link_libraries(${target} PRIVATE bristle_amd bristle_lapacke bristle_hdf5)
    endif()
    if(name MATCHES "fclib")
        target_link_libraries(${target} PRIVATE bristle_fclib)
    endif()
    if(name STREQUAL "long.elementary" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
        target_link_libraries(${target} PRIVATE quadmath)
    endif()
    if(name MATCHES "^unit\\.cli")
        target_link_libraries(${target} PRIVATE bristle_figures)
    endif()
    target_link_libraries(${target} PRIVATE libbristle bristle_warnings bristle_cmocka Threads::Threads m)
    if(configuration)
        add_test(NAME ${name} COMMAND ${target} CONFIGURATIONS ${configuration})
    else()
        add_test(NAME ${name} COMMAND ${target})
    endif()
    bristle_test_properties(${name} ${label} "${configuration}")
    if(label STREQUAL "unit")
        add_dependencies(unit_tests ${target})
    endif()
endfunction()

function(bristle_script_test file configuration)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR}/tests ${file})
    string(REGEX REPLACE "\\.sh$" "" name ${path})
    string(REPLACE "/" "." name ${name})
    string(REGEX REPLACE "\\..*" "" label ${name})
    set(command sh ${PROJECT_SOURCE_DIR}/tools/run-in-empty-folder ${PROJECT_BINARY_DIR}/tests/work/${name} ${file})
    if(configuration)
        add_test(NAME ${name} COMMAND ${command} CONFIGURATIONS ${configuration})
    else()
        add_test(NAME ${name} COMMAND ${command})
    endif()
    bristle_test_properties(${name} ${label} "${configuration}")
endfunction()

# What tests/unit/cli tests: the parts of the program that draw.
add_library(bristle_figures STATIC EXCLUDE_FROM_ALL cli/plot/plot.c cli/plot/axis.c cli/plot/canvas.c cli/plot/font.c
            cli/plot/png.c cli/plot/raster.c cli/plot/svg.c cli/result_path.c cli/result_series.c)
target_compile_definitions(bristle_figures PRIVATE _DEFAULT_SOURCE)
target_include_directories(bristle_figures PUBLIC cli)
target_link_libraries(bristle_figures PRIVATE bristle_warnings PUBLIC libbristle bristle_zlib m)

# The programs.
set(program_globs)
foreach(folder unit paper public golden fault)
    list(APPEND program_globs tests/${folder}/test_*.c tests/${folder}/*/test_*.c)
endforeach()
file(GLOB test_programs CONFIGURE_DEPENDS ${program_globs})
file(GLOB long_programs CONFIGURE_DEPENDS tests/long/test_*.c)
if(TARGET bristle_cmocka)
    foreach(file ${test_programs})
        bristle_cmocka_test(${file} "")
    endforeach()
    foreach(file ${long_programs})
        bristle_cmocka_test(${file} Long)
    endforeach()
else()
    message(STATUS "cmocka was not found: its tests are not built (tools/install-deps test brings it)")
endif()

# The core alone: no other library of ours, and of others only AMD. tests/golden says that it computes the same bits.
function(bristle_core_test file)
    get_filename_component(name ${file} NAME_WE)
    string(REGEX REPLACE "^test_" "core." name ${name})
    add_executable(test_${name} ${file})
    set_target_properties(test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_compile_definitions(test_${name} PRIVATE _DEFAULT_SOURCE BRISTLE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_include_directories(test_${name} PRIVATE tests/support src)
    if(file MATCHES "tests/core/") # every object of both, whether it is called or not
        set_target_properties(test_${name} PROPERTIES LINK_LIBRARY_OVERRIDE WHOLE_ARCHIVE,bristle_core,bristle_core_io)
    endif()
    target_link_libraries(test_${name} PRIVATE bristle_core_io bristle_core bristle_warnings bristle_cmocka m)
    add_test(NAME ${name} COMMAND test_${name})
    bristle_test_properties(${name} core "")
endfunction()
file(GLOB core_programs CONFIGURE_DEPENDS tests/core/test_*.c tests/golden/test_*.c)
if(TARGET bristle_cmocka)
    foreach(file ${core_programs})
        bristle_core_test(${file})
    endforeach()
endif()

# Fuzz targets. Here each reads its corpus and a fixed series of mutants; with clang and -DBRISTLE_FUZZ=ON (make fuzz) libFuzzer drives it.
file(GLOB fuzz_targets CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
foreach(file ${fuzz_targets})
    get_filename_component(name ${file} NAME_WE)
    string(REGEX REPLACE "^fuzz_" "" kind ${name})
    add_executable(${name} ${file} $<$<NOT:$<BOOL:${BRISTLE_FUZZ}>>:tests/fuzz/replay.c>)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_compile_definitions(${name} PRIVATE _DEFAULT_SOURCE)
    target_include_directories(${name} PRIVATE src)
    target_link_libraries(${name} PRIVATE libbristle bristle_warnings)
    if(BRISTLE_FUZZ)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    else()
        set(folder ${PROJECT_BINARY_DIR}/tests/work/fuzz.${kind})
        file(MAKE_DIRECTORY ${folder})
        add_test(NAME fuzz.${kind} COMMAND ${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${kind} ${BRISTLE_FUZZ_MUTANTS})
        bristle_test_properties(fuzz.${kind} fuzz "")
        set_tests_properties(fuzz.${kind} PROPERTIES WORKING_DIRECTORY ${folder})
    endif()
endforeach()

# Calls that fail on purpose, to be preloaded by scripts: $BRISTLE_FAULTS. A sanitizer has a malloc of its own.
if(NOT BRISTLE_SANITIZE)
    add_library(bristle_faults MODULE tests/support/faults.c)
    set_target_properties(bristle_faults PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_link_libraries(bristle_faults PRIVATE bristle_warnings ${CMAKE_DL_LIBS})
    list(APPEND BRISTLE_TEST_ENVIRONMENT "BRISTLE_FAULTS=${PROJECT_BINARY_DIR}/tests/libbristle_faults.so")
endif()

# The scripts.
file(GLOB cli_scripts CONFIGURE_DEPENDS tests/cli/*.sh)
file(GLOB long_scripts CONFIGURE_DEPENDS tests/long/*.sh)
foreach(file ${cli_scripts})
    bristle_script_test(${file} "")
endforeach()
foreach(file ${long_scripts})
    bristle_script_test(${file} Long)
endforeach()

# The Python module. A library with sanitizers cannot be loaded into a program without them.
find_program(BRISTLE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(BRISTLE_PYTHON NAMES python3)
mark_as_advanced(BRISTLE_PYTHON)
if(BRISTLE_PYTHON AND TARGET bristle AND NOT BRISTLE_SANITIZE)
    add_test(NAME python.bristle COMMAND ${BRISTLE_PYTHON} -B ${PROJECT_SOURCE_DIR}/tests/python/test_bristle.py)
    bristle_test_properties(python.bristle python "")
    set(folder ${PROJECT_BINARY_DIR}/tests/work/python.bristle)
    file(MAKE_DIRECTORY ${folder})
    set_tests_properties(python.bristle PROPERTIES WORKING_DIRECTORY ${folder} ENVIRONMENT
        "${BRISTLE_TEST_ENVIRONMENT};BRISTLE_LIBRARY=$<TARGET_FILE:libbristle_shared>;CC=${CMAKE_C_COMPILER}")
endif()

# The examples: public headers and the library, nothing else.
file(GLOB examples CONFIGURE_DEPENDS examples/*.c)
foreach(file ${examples})
    get_filename_component(name ${file} NAME_WE)
    add_executable(example_${name} ${file})
    set_target_properties(example_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples
        OUTPUT_NAME ${name})
    target_link_libraries(example_${name} PRIVATE libbristle bristle_warnings)
    add_test(NAME example.${name} COMMAND example_${name})
    bristle_test_properties(example.${name} example "")
endforeach()
set_tests_properties(example.block PROPERTIES PASS_REGULAR_EXPRESSION
    "friction  -5.00 N of at most 9.81 N, velocity 0.00000 m/s\n.*friction  -9.81 N of at most 9.81 N, velocity 0.02595")

# The report page in a browser; skipped, with a message, where Node, its packages or Chromium are missing.
add_test(NAME browser.report COMMAND sh ${PROJECT_SOURCE_DIR}/tests/browser/run ${PROJECT_BINARY_DIR}/tests/work/browser.report)
bristle_test_properties(browser.report browser "")

# The rules of the tree.
find_program(BRISTLE_CXX NAMES g++ c++ clang++)
mark_as_advanced(BRISTLE_CXX)
function(bristle_check name)
    add_test(NAME check.${name} COMMAND sh ${PROJECT_SOURCE_DIR}/tools/check-${name} ${ARGN})
    bristle_test_properties(check.${name} check "")
endfunction()
bristle_check(layers ${PROJECT_SOURCE_DIR})
bristle_check(headers ${PROJECT_SOURCE_DIR} ${CMAKE_C_COMPILER} ${BRISTLE_CXX})
bristle_check(hosts ${PROJECT_SOURCE_DIR})
bristle_check(links ${PROJECT_SOURCE_DIR})
bristle_check(walk ${PROJECT_SOURCE_DIR})
add_test(NAME check.tests COMMAND python3 ${PROJECT_SOURCE_DIR}/tools/test-map ${PROJECT_SOURCE_DIR} --check)
add_test(NAME check.decisions COMMAND python3 ${PROJECT_SOURCE_DIR}/tools/decision-list ${PROJECT_SOURCE_DIR} --check)
bristle_test_properties(check.tests check "")
bristle_test_properties(check.decisions check "")
add_executable(definitions tools/definitions.c)
set_target_properties(definitions PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_include_directories(definitions PRIVATE src)
target_link_libraries(definitions PRIVATE libbristle bristle_warnings)
bristle_check(definitions ${PROJECT_SOURCE_DIR} $<TARGET_FILE:definitions>)
bristle_check(api ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/tests/work/check.api)
if(NOT BRISTLE_SANITIZE) # a sanitizer adds data of its own to every object
    bristle_check(statics ${CMAKE_NM} $<TARGET_FILE:libbristle>)
    bristle_check(elementary ${CMAKE_NM} $<TARGET_FILE:libbristle>)
    # By relocations of the objects, which an optimized build for this machine's own linker has.
    add_test(NAME check.rooms COMMAND python3 ${PROJECT_SOURCE_DIR}/tools/measure-rooms --judge ${PROJECT_SOURCE_DIR}
        ${PROJECT_BINARY_DIR}/CMakeFiles)
    bristle_test_properties(check.rooms check "")
    bristle_check(symbols ${CMAKE_NM} $<TARGET_FILE:bristle_core> $<TARGET_FILE:bristle_core_io> $<TARGET_FILE:libbristle>)
endif()
