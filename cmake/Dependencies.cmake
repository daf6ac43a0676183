# What the library links. Each dependency becomes one INTERFACE target, so that nothing else in the build knows where
# it was found. Searching is by header and library, not by pkg-config alone: a bare machine may not have it.

set(BRISTLE_HOW_TO_INSTALL "Run tools/install-deps build, or install it by hand.")

find_package(Threads REQUIRED)

# bristle_dependency(TARGET HEADER LIBRARY_NAMES... [INCLUDE_SUFFIXES ...])
function(bristle_dependency target header)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LIBRARIES;INCLUDE_SUFFIXES")
    find_path(${target}_INCLUDE ${header} PATH_SUFFIXES ${arg_INCLUDE_SUFFIXES})
    find_library(${target}_LIBRARY NAMES ${arg_LIBRARIES})
    mark_as_advanced(${target}_INCLUDE ${target}_LIBRARY)
    if(NOT ${target}_INCLUDE OR NOT ${target}_LIBRARY)
        return()
    endif()
    add_library(${target} INTERFACE)
    target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
    target_link_libraries(${target} INTERFACE ${${target}_LIBRARY})
endfunction()

# Ordering for the sparse factorization.
bristle_dependency(bristle_amd amd.h LIBRARIES amd INCLUDE_SUFFIXES suitesparse)
if(NOT TARGET bristle_amd)
    message(FATAL_ERROR "AMD (suitesparse/amd.h, libamd) was not found. ${BRISTLE_HOW_TO_INSTALL}")
endif()

# Rank, null space, eigenvalues: diagnostics only. Which BLAS stands behind it is the system's choice
# (libopenblas0-serial where tools/install-deps did the work).
bristle_dependency(bristle_lapacke lapacke.h LIBRARIES lapacke INCLUDE_SUFFIXES lapacke openblas)
if(NOT TARGET bristle_lapacke)
    message(FATAL_ERROR "LAPACKE (lapacke.h, liblapacke) was not found. ${BRISTLE_HOW_TO_INSTALL}")
endif()

# HDF5, the serial flavour: on Debian a plain search can end at the MPI one.
bristle_dependency(bristle_hdf5 hdf5.h LIBRARIES hdf5_serial INCLUDE_SUFFIXES hdf5/serial)
if(NOT TARGET bristle_hdf5)
    find_package(HDF5 COMPONENTS C)
    if(NOT HDF5_FOUND)
        message(FATAL_ERROR "Serial HDF5 (hdf5.h, libhdf5) was not found. ${BRISTLE_HOW_TO_INSTALL}")
    endif()
    if(HDF5_IS_PARALLEL)
        message(FATAL_ERROR "Only an MPI build of HDF5 was found; bristle needs the serial one. ${BRISTLE_HOW_TO_INSTALL}")
    endif()
    add_library(bristle_hdf5 INTERFACE)
    target_include_directories(bristle_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
    target_link_libraries(bristle_hdf5 INTERFACE ${HDF5_C_LIBRARIES})
endif()

# Model files.
bristle_dependency(bristle_fyaml libfyaml.h LIBRARIES fyaml)
if(NOT TARGET bristle_fyaml)
    message(FATAL_ERROR "libfyaml (libfyaml.h, libfyaml) was not found. ${BRISTLE_HOW_TO_INSTALL}")
endif()

# Models in XML (MJCF).
bristle_dependency(bristle_expat expat.h LIBRARIES expat)
if(NOT TARGET bristle_expat)
    message(FATAL_ERROR "Expat (expat.h, libexpat) was not found. ${BRISTLE_HOW_TO_INSTALL}")
endif()

# The reference stepper. Only these libraries of SUNDIALS, and nothing of its MPI or PETSc.
bristle_dependency(bristle_cvode cvode/cvode.h LIBRARIES sundials_cvode)
bristle_dependency(bristle_nvector nvector/nvector_serial.h LIBRARIES sundials_nvecserial)
if(NOT TARGET bristle_cvode OR NOT TARGET bristle_nvector)
    message(FATAL_ERROR "SUNDIALS (cvode/cvode.h, libsundials_cvode) was not found. ${BRISTLE_HOW_TO_INSTALL}")
endif()

# Convex hulls: the reentrant library.
bristle_dependency(bristle_qhull libqhull_r/libqhull_r.h LIBRARIES qhull_r)
if(NOT TARGET bristle_qhull)
    message(FATAL_ERROR "Qhull, reentrant (libqhull_r/libqhull_r.h, libqhull_r) was not found. ${BRISTLE_HOW_TO_INSTALL}")
endif()

# Figures as PNG: the compressor.
bristle_dependency(bristle_zlib zlib.h LIBRARIES z)
if(NOT TARGET bristle_zlib)
    message(FATAL_ERROR "zlib (zlib.h, libz) was not found. ${BRISTLE_HOW_TO_INSTALL}")
endif()
