// cuBLAS, loaded when it is first needed, so that the program starts without it.
#pragma once

namespace foldline::ladder {

/// A function of cuBLAS by its symbol. Throws Unsupported if there is no library, or no such function in it.
void* cublas_function(const char* name);

/// A handle for the default stream that returns results in device memory; created once, never destroyed.
void* cublas_handle();

/// Throws if a cuBLAS call failed.
void check_cublas(int status, const char* doing);

}  // namespace foldline::ladder
