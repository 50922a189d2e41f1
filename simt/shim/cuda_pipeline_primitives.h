// Asynchronous copies: __pipeline_memcpy_async and its companions.
#pragma once

#include "cuda_runtime.h"
