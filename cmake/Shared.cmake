# The shared library, from the objects of the static one. It exports what the public headers declare and nothing else:
# internal functions are named br_ too, so the list is read from the headers, not guessed from the names.
#   bristle_shared_library(TARGET OBJECTS DEPENDENCIES...)
function(bristle_shared_library target objects)
    file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/bristle/*.h)
    set(names "")
    foreach(header ${headers})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
        # A declaration begins in the first column; `static inline` ones have no symbol.
        file(STRINGS ${header} lines REGEX "^([a-zA-Z][a-zA-Z0-9_ *]*[ *])?br_[a-z0-9_]+\\(")
        foreach(line ${lines})
            if(NOT line MATCHES "^(static|typedef) " AND line MATCHES "(br_[a-z0-9_]+)\\(")
                list(APPEND names ${CMAKE_MATCH_1})
            endif()
        endforeach()
    endforeach()
    list(SORT names)
    list(JOIN names ";\n    " text)
    set(script ${PROJECT_BINARY_DIR}/generated/exports.map)
    file(CONFIGURE OUTPUT ${script} @ONLY CONTENT "{\nglobal:\n    ${text};\nlocal:\n    *;\n};\n")

    add_library(${target} SHARED ${objects})
    # Before 1.0 any minor version may change a struct, so the name that programs ask for carries it.
    set_target_properties(${target} PROPERTIES OUTPUT_NAME bristle LINKER_LANGUAGE C LINK_DEPENDS ${script}
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include)
    target_link_options(${target} PRIVATE LINKER:--version-script=${script})
    target_link_libraries(${target} PRIVATE ${ARGN})
endfunction()
