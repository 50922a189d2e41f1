# cmake --build BUILD --target docs: the reference of the headers as HTML in BUILD/docs/html. A warning is an error. docs/site/build makes
# the site of which it is a part.
find_program(DOXYGEN doxygen)
if(DOXYGEN)
  configure_file(cmake/Doxyfile.in Doxyfile @ONLY)
  add_custom_target(
    docs
    COMMAND ${DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile
    COMMENT "docs/html/index.html"
    VERBATIM)
endif()
