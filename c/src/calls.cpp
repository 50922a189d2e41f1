#include "calls.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "foldline/version.hpp"

namespace foldline::c {

namespace {
// An array, so that keeping a message cannot fail.
thread_local std::array<char, 1024> last_message{};
}  // namespace

foldline_status fail(foldline_status kind, const char* message) noexcept {
  const std::size_t size = std::min(std::strlen(message), last_message.size() - 1);
  std::memcpy(last_message.data(), message, size);
  last_message[size] = '\0';
  return kind;
}

foldline_status fail_with_current_exception() noexcept {
  try {
    throw;
  } catch (const OverflowError& error) {
    return fail(FOLDLINE_OVERFLOW, error.what());
  } catch (const InvalidArgument& error) {
    return fail(FOLDLINE_INVALID_ARGUMENT, error.what());
  } catch (const DataError& error) {
    return fail(FOLDLINE_DATA_ERROR, error.what());
  } catch (const DeviceError& error) {
    return fail(FOLDLINE_DEVICE_ERROR, error.what());
  } catch (const std::bad_alloc&) {
    return fail(FOLDLINE_OUT_OF_MEMORY, "foldline: there is not enough memory");
  } catch (const std::exception& error) {
    return fail(FOLDLINE_INTERNAL_ERROR, error.what());
  } catch (...) {
    return fail(FOLDLINE_INTERNAL_ERROR, "foldline: an exception of an unknown kind");
  }
}

}  // namespace foldline::c

const char* foldline_last_message(void) { return foldline::c::last_message.data(); }

const char* foldline_version(void) { return foldline::version; }
