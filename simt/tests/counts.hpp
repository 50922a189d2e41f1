// The kernels of counts.cu.
#pragma once

/// Each runs on new memory; `way` is a stride or a size.
void read_with_stride(int stride);
void read_vectors();
void copy_structures();
void add_parts_of_vectors();
void read_shared_with_stride(int stride);
void read_constants(int spread);
void diverge_in_a_tree(int block);
void diverge_in_a_loop();
void leave_a_function_early();
void take_remainders();
void take_masks();
void read_in_many_blocks(int blocks);
