/// @file
/// FOLDLINE_API marks what a shared libfoldline exports, FOLDLINE_HIDDEN the private parts of a class that it
/// exports. All else is hidden.
#pragma once

// A static library is compiled with FOLDLINE_STATIC, so that a shared library it is linked into does not
// export foldline's symbols as its own. Users of a static library may define it but need not.
#if defined(FOLDLINE_STATIC) || !defined(__GNUC__)
#define FOLDLINE_API
#else
#define FOLDLINE_API [[gnu::visibility("default")]]
#endif

#if defined(__GNUC__) && !defined(FOLDLINE_STATIC)
#define FOLDLINE_HIDDEN [[gnu::visibility("hidden")]]
#else
#define FOLDLINE_HIDDEN
#endif
