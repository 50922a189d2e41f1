#include <texture_types.h>

/// What a texture reference is bound to: the reference is the host's, and kernels read it all the same.
extern "C" cudaTextureObject_t simt_bound_texture(const textureReference* reference) {
  return reference->bound;
}
