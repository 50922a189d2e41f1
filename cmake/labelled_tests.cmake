# Tests with labels, which choose among them: ctest -L LABEL. CONTRIBUTING.md lists the labels.
include(GoogleTest)

# What ./test --quick builds: the programs whose tests are labelled `quick`.
if(NOT TARGET quick_tests)
  add_custom_target(quick_tests)
endif()

# Names the tests of a gtest program to ctest, as PREFIX.SUITE.TEST.
#   LABELS LABEL ...     of all its tests
#   QUICK                label its tests `quick`, too, and build it for these
#   LONG EXPRESSION      label tests whose names match `long`, and not `quick`
#   PROPERTIES NAME VALUE ...
function(discover_labelled_tests program prefix)
  cmake_parse_arguments(PARSE_ARGV 2 "" QUICK LONG "LABELS;PROPERTIES")
  gtest_discover_tests(${program} TEST_PREFIX ${prefix}. DISCOVERY_MODE PRE_TEST TEST_LIST tests_of_${program} PROPERTIES ${_PROPERTIES})
  set(quick "")
  if(_QUICK)
    add_dependencies(quick_tests ${program})
    set(quick quick)
  endif()
  if(NOT _LONG)
    set(_LONG "^$")
  endif()
  # gtest_discover_tests takes one label only, and the same for all tests; ctest reads this file after those that it writes.
  set(labels ${CMAKE_CURRENT_BINARY_DIR}/labels_of_${program}.cmake)
  file(
    WRITE ${labels}
    "foreach(test IN LISTS tests_of_${program})\n"
    "  if(test MATCHES [==[${_LONG}]==])\n"
    "    set_tests_properties(\${test} PROPERTIES LABELS \"${_LABELS};long\")\n"
    "  else()\n"
    "    set_tests_properties(\${test} PROPERTIES LABELS \"${_LABELS};${quick}\")\n"
    "  endif()\n"
    "endforeach()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${labels})
endfunction()
