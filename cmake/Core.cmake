# The core: everything that moves, with libc, libm and AMD alone. What FMUs, browsers and small machines link.
#   bristle_core      base to trust, without the reference stepper (CVODE) and the studies that need LAPACK
#   bristle_core_io   model files in YAML, from the parser's tree on: whoever links it brings br_yaml_parse
#
# A file NAME_core.c stands for NAME.c, or for the folder NAME, in the core alone: it does the same without the library
# that the other needs, or refuses by name. Everything else is compiled once, for the core and for the whole library.

# bristle_split_sources(SOURCES): sets core_sources, io_sources, rest_sources, and core_twins, io_twins. Paths are relative.
function(bristle_split_sources)
    set(twins ${ARGN})
    list(FILTER twins INCLUDE REGEX "_core\\.c$")
    set(sources ${ARGN})
    list(FILTER sources EXCLUDE REGEX "_core\\.c$")

    set(rest ${sources})
    list(FILTER rest INCLUDE REGEX "^src/(io/|batch/|sweep/|fit/|sim/stepper/reference/|sim/study/(modes|statics)/|sim/study/linearize\\.c)")
    foreach(twin ${twins})
        string(REGEX REPLACE "_core\\.c$" ".c" original ${twin})
        if(original IN_LIST sources)
            list(APPEND rest ${original})
        endif()
    endforeach()
    list(REMOVE_DUPLICATES rest)
    set(core ${sources})
    list(REMOVE_ITEM core ${rest})

    # Of io: the readers of YAML behind the parser, and what they stand on.
    set(io ${rest})
    list(FILTER io INCLUDE REGEX
         "^src/io/(model_file|yaml/[a-z_]+|text/(text|beside|utf8|number)|import/(import_report|lift|mesh|name))\\.c$")
    list(FILTER io EXCLUDE REGEX "^src/io/yaml/parse\\.c$")
    list(REMOVE_ITEM rest ${io})

    set(io_twins ${twins})
    list(FILTER io_twins INCLUDE REGEX "^src/io/")
    list(FILTER twins EXCLUDE REGEX "^src/io/")
    foreach(part core io rest)
        set(${part}_sources ${${part}} PARENT_SCOPE)
    endforeach()
    set(core_twins ${twins} PARENT_SCOPE)
    set(io_twins ${io_twins} PARENT_SCOPE)
endfunction()

# bristle_objects(TARGET SOURCES ... [NEEDS ...]): compiled once, for static and shared libraries.
function(bristle_objects target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;NEEDS")
    add_library(${target} OBJECT ${arg_SOURCES})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${target} PRIVATE include src)
    # _DEFAULT_SOURCE: POSIX (threads, clocks, fsync) under -std=c11, without the GNU extensions.
    target_compile_definitions(${target} PRIVATE _DEFAULT_SOURCE)
    target_link_libraries(${target} PRIVATE bristle_warnings ${arg_NEEDS})
endfunction()

function(bristle_core_libraries)
    bristle_objects(bristle_core_twins SOURCES ${core_twins})
    add_library(bristle_core STATIC $<TARGET_OBJECTS:bristle_core_objects> $<TARGET_OBJECTS:bristle_core_twins>)
    target_include_directories(bristle_core PUBLIC include)
    target_link_libraries(bristle_core PRIVATE bristle_amd m)

    bristle_objects(bristle_core_io_twins SOURCES ${io_twins})
    add_library(bristle_core_io STATIC $<TARGET_OBJECTS:bristle_io_objects> $<TARGET_OBJECTS:bristle_core_io_twins>)
    target_link_libraries(bristle_core_io PUBLIC bristle_core PRIVATE m)
    foreach(target bristle_core bristle_core_io)
        set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
        add_library(bristle::${target} ALIAS ${target})
    endforeach()
endfunction()
