// cuBLAS, if this machine has it: found when it is first needed, so that the program starts without.
#pragma once

namespace foldline::ladder {

/// A function of cuBLAS, by its name in the library. Throws NotHere if there is no library, or no such
/// function in it.
void* cublas_function(const char* name);

/// A handle that returns results in device memory, for the default stream; made once, ended with the process.
void* cublas_handle();

/// Throws if a call of cuBLAS failed.
void check_cublas(int status, const char* doing);

}  // namespace foldline::ladder
