#include "cub/vendors_routine.hpp"
