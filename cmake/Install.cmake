# What `cmake --install` (make install) puts where. Nothing that is installed names the folder it was installed to: files
# find each other from where they lie, so --prefix and DESTDIR may be chosen last, and the whole may be moved.
#   bin/bristle   lib/libbristle.{a,so}   include/bristle   lib/pkgconfig/bristle.pc   lib/cmake/bristle
#   share/man/man1   share/{bash-completion,zsh,fish}   share/bristle/{schema,python}, report.html
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS libbristle libbristle_shared
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/bristle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY schema DESTINATION ${CMAKE_INSTALL_DATADIR}/bristle)
install(FILES python/bristle.py DESTINATION ${CMAKE_INSTALL_DATADIR}/bristle/python)

# --- what others link with -----------------------------------------------------------------------------------------

# What a program needs besides libbristle.a: -lNAME where the compiler looks by itself, the whole path elsewhere.
set(static_libraries "")
foreach(target bristle_qhull bristle_fyaml bristle_expat bristle_cvode bristle_nvector bristle_amd bristle_lapacke bristle_hdf5)
    get_target_property(files ${target} INTERFACE_LINK_LIBRARIES)
    foreach(file ${files})
        get_filename_component(folder "${file}" DIRECTORY)
        get_filename_component(name "${file}" NAME)
        if(folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES AND name MATCHES "^lib(.+)\\.(so|a)$")
            list(APPEND static_libraries -l${CMAKE_MATCH_1})
        else()
            list(APPEND static_libraries ${file})
        endif()
    endforeach()
endforeach()
list(APPEND static_libraries -lm -lpthread)
list(JOIN static_libraries " " BRISTLE_STATIC_LIBRARIES)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/bristle)
set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH BRISTLE_PKGCONFIG_UP /${pkgconfig_folder} /)
string(REGEX REPLACE "/$" "" BRISTLE_PKGCONFIG_UP "${BRISTLE_PKGCONFIG_UP}")
configure_file(cmake/package/bristle.pc.in package/bristle.pc @ONLY)
configure_package_config_file(cmake/package/bristleConfig.cmake.in package/bristleConfig.cmake
    INSTALL_DESTINATION ${package_folder} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/bristleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/bristle.pc DESTINATION ${pkgconfig_folder})
install(FILES ${PROJECT_BINARY_DIR}/package/bristleConfig.cmake ${PROJECT_BINARY_DIR}/package/bristleConfigVersion.cmake
        DESTINATION ${package_folder})

# --- the program, and what is written from its own help -----------------------------------------------------------

if(TARGET bristle)
    install(TARGETS bristle RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    set(share ${PROJECT_BINARY_DIR}/share)
    if(NOT CMAKE_CROSSCOMPILING) # the program itself is asked
        add_custom_command(OUTPUT ${share}/man/man1/bristle.1 ${share}/completion/bristle
            COMMAND sh ${PROJECT_SOURCE_DIR}/tools/manual $<TARGET_FILE:bristle> ${share}/man/man1
            COMMAND sh ${PROJECT_SOURCE_DIR}/tools/completion $<TARGET_FILE:bristle> ${share}/completion
            DEPENDS bristle tools/manual tools/completion tools/help.awk
            COMMENT "Writing man pages and shell completion" VERBATIM)
        add_custom_target(bristle_manual ALL DEPENDS ${share}/man/man1/bristle.1 ${share}/completion/bristle)
        install(DIRECTORY ${share}/man/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
        install(FILES ${share}/completion/bristle DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
        install(FILES ${share}/completion/_bristle DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
        install(FILES ${share}/completion/bristle.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
    endif()
    # The page behind `bristle report` needs Node to build, which nothing else does.
    install(FILES ${share}/bristle/report.html DESTINATION ${CMAKE_INSTALL_DATADIR}/bristle OPTIONAL)
    install(CODE "if(NOT EXISTS \"${share}/bristle/report.html\")
    message(\"-- Left out: share/bristle/report.html, the page of `bristle report`; it is not built. `make viewer`, then install again\")
endif()")
endif()
