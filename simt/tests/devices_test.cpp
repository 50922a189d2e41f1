// Device models: resident blocks worked out by hand, and what a device lacks.
#include <gtest/gtest.h>

#include <simt/devices.hpp>

namespace simt {
namespace {

const DeviceModel& device(std::string_view name) { return *find_device(name); }

TEST(Devices, AreFoundByName) {
  for (const std::string_view name : {"h200", "h100", "a100", "t4", "m2070"})
    ASSERT_NE(find_device(name), nullptr) << name;
  EXPECT_EQ(devices().size(), 5u);
  EXPECT_EQ(find_device("H200"), nullptr);
  EXPECT_EQ(default_device().name, "h200");
}

TEST(Devices, HoldAsManyBlocksAsTheirLimitsAllow) {
  EXPECT_EQ(resident_blocks(device("h200"), 512, 0), 4);  // 2048 threads
  EXPECT_EQ(resident_blocks(device("h200"), 1024, 0), 2);
  EXPECT_EQ(resident_blocks(device("h200"), 32, 0), 32);  // 32 blocks
  EXPECT_EQ(resident_blocks(device("h200"), 33, 0), 32);  // two warps each
  EXPECT_EQ(resident_blocks(device("h200"), 96, 0), 21);
  EXPECT_EQ(resident_blocks(device("h200"), 128, 48 * 1024), 4);  // 49 KiB of 228 each
  EXPECT_EQ(resident_blocks(device("h200"), 128, 227 * 1024), 1);
  EXPECT_EQ(resident_blocks(device("h200"), 128, 228 * 1024), 0);
  EXPECT_EQ(resident_blocks(device("m2070"), 512, 0), 3);  // 1536 threads
  EXPECT_EQ(resident_blocks(device("m2070"), 64, 0), 8);   // 8 blocks
  EXPECT_EQ(resident_blocks(device("m2070"), 64, 16 * 1024), 3);
  EXPECT_EQ(resident_blocks(device("t4"), 1024, 0), 1);
  EXPECT_EQ(resident_blocks(device("h200"), 1025, 0), 0);
  EXPECT_EQ(resident_blocks(device("h200"), 0, 0), 0);
}

TEST(Devices, SayWhatTheyLack) {
  EXPECT_NO_THROW(require(device("t4"), Feature::warp_shuffle));
  EXPECT_TRUE(has(device("a100"), Feature::double_tensor_step));
  EXPECT_FALSE(has(device("t4"), Feature::double_tensor_step));
  try {
    require(device("m2070"), Feature::warp_shuffle);
    FAIL();
  } catch (const NotOnThisDevice& reason) {
    EXPECT_STREQ(reason.what(), "not on a m2070: shuffles need 3.0");
  }
}

}  // namespace
}  // namespace simt
