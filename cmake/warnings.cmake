# Warnings for every target of the project, and the floating-point rules that its arithmetic stands on.
add_library(foldline_build_options INTERFACE)
target_compile_options(
  foldline_build_options
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wold-style-cast
            -Wnon-virtual-dtor
            $<$<BOOL:${FOLDLINE_WERROR}>:-Werror>
            # a*b+c is two roundings unless the source says fma
            -ffp-contract=off)
