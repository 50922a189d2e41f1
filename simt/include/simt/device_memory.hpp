// The device's memory as a program under test may want to change it.
#pragma once

#include <cstddef>

namespace simt {

/// These bytes of memory from cudaMalloc have no value until a kernel or a copy writes them: who reads them
/// before is told, as with memory that is new.
void forget(void* begin, std::size_t bytes);

/// From now on the host's own reads and writes of the device's memory, which it may only reach by copies, end
/// the process with a message that names the line. Only what the host has been compiled for the simulator
/// with has lines.
void refuse_host_access();

/// While one of these exists, the simulator itself may access that memory for the host.
class DeviceAccess {
 public:
  DeviceAccess();
  ~DeviceAccess();
  DeviceAccess(const DeviceAccess&) = delete;
  DeviceAccess& operator=(const DeviceAccess&) = delete;
};

}  // namespace simt
