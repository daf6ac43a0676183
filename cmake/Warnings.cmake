# Warnings for our own sources, as a target to link privately.
add_library(bristle_warnings INTERFACE)
target_compile_options(bristle_warnings INTERFACE
    -Wall -Wextra -Wshadow -Wvla -Wformat=2 -Wundef -Wpointer-arith
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
    $<$<BOOL:${BRISTLE_WERROR}>:-Werror>)
