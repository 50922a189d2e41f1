# cmake --build BUILD --target docs: the reference and the book as HTML in BUILD/docs/html. A warning is an error.
find_program(DOXYGEN doxygen)
if(DOXYGEN)
  configure_file(cmake/Doxyfile.in Doxyfile @ONLY)
  add_custom_target(
    docs
    COMMAND ${DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile
    COMMENT "docs/html/index.html"
    VERBATIM)
endif()
