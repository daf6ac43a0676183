# Warnings for our own sources, as a target to link privately.
add_library(bristle_warnings INTERFACE)
target_compile_options(bristle_warnings INTERFACE
    -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 -Wundef -Wpointer-arith
    $<$<BOOL:${BRISTLE_WERROR}>:-Werror>)
