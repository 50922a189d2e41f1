# Warnings for every target of the project, and the floating-point rules that its arithmetic stands on.
add_library(foldline_build_options INTERFACE)
set(cxx_options
    -Wall
    -Wextra
    -Wpedantic
    -Wshadow
    -Wconversion
    -Wold-style-cast
    -Wnon-virtual-dtor
    $<$<BOOL:${FOLDLINE_WERROR}>:-Werror>
    # a*b+c is two roundings unless the source says fma
    -ffp-contract=off)
set(cuda_options $<$<BOOL:${FOLDLINE_WERROR}>:-Werror=all-warnings> -fmad=false)
target_compile_options(foldline_build_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${cxx_options}>"
                                                        "$<$<COMPILE_LANGUAGE:CUDA>:${cuda_options}>")
