/// @file
/// foldline: sums you can trust, at the speed of memory. This header brings the whole public API.
#pragma once

#include "foldline/accumulator.hpp"
#include "foldline/accumulator_array.hpp"
#include "foldline/array_reader.hpp"
#include "foldline/array_view.hpp"
#include "foldline/array_writer.hpp"
#include "foldline/async.hpp"
#include "foldline/axes.hpp"
#include "foldline/column_accumulator.hpp"
#include "foldline/context.hpp"
#include "foldline/device.hpp"
#include "foldline/device_memory.hpp"
#include "foldline/device_workspace.hpp"
#include "foldline/error.hpp"
#include "foldline/export.hpp"
#include "foldline/generic.hpp"
#include "foldline/gpu_bandwidth.hpp"
#include "foldline/input_file.hpp"
#include "foldline/matrix_product.hpp"
#include "foldline/operation.hpp"
#include "foldline/operations.hpp"
#include "foldline/output_file.hpp"
#include "foldline/plan.hpp"
#include "foldline/quadrature.hpp"
#include "foldline/scalar.hpp"
#include "foldline/scan.hpp"
#include "foldline/segments.hpp"
#include "foldline/text_reader.hpp"
#include "foldline/types.hpp"
#include "foldline/vector_view.hpp"
#include "foldline/version.hpp"
#include "foldline/where.hpp"

/// Sums you can trust, at the speed of memory.
namespace foldline {}
