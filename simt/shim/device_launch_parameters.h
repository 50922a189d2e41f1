// threadIdx and its companions, which older programs include by themselves.
#pragma once

#include "cuda_runtime.h"
