# Texts that the library carries (the schema of the model format, the templates of `bristle new`) and that the program does
# (the scenes of `bristle papers`). They are plain files of the tree, written at configure time as arrays of bytes (a string
# literal may not be that long in C), with no tool but CMake. A changed file configures again by itself.
#   bristle_embed(OUTPUT.c HEADER.h TYPE ARRAY COUNT GLOB...)   rows of TYPE are {name, text, size}
function(bristle_embed output header type array counter)
    file(GLOB texts CONFIGURE_DEPENDS ${ARGN})
    set(arrays "")
    set(rows "")
    set(count 0)
    foreach(text ${texts})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${text})
        get_filename_component(name ${text} NAME)
        file(READ ${text} hex HEX)
        string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
        string(REGEX REPLACE "(0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],)"
               "\\1\n" bytes "${bytes}")
        string(APPEND arrays "static const unsigned char text_${count}[] = {\n${bytes}0};\n")
        string(APPEND rows "    {\"${name}\", (const char *)text_${count}, sizeof text_${count} - 1},\n")
        math(EXPR count "${count} + 1")
    endforeach()
    file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"// Written by cmake/Embed.cmake from ${ARGN}.
#include \"${header}\"

${arrays}
const ${type} ${array}[] = {
${rows}};
const int ${counter} = ${count};
")
endfunction()
