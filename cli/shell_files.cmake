# Makes the manual page and the completions with the command that was built, and installs them where man and the shells
# look for them.
set(shell_files)
function(add_shell_file folder name)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/share/${name})
  add_custom_command(
    OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/share
    COMMAND foldline_cli ${ARGN} > ${file}
    DEPENDS foldline_cli
    VERBATIM)
  install(FILES ${file} DESTINATION ${folder})
  set(shell_files ${shell_files} ${file} PARENT_SCOPE)
endfunction()

# Debian wants manual pages compressed, and man reads them so everywhere.
find_program(GZIP gzip REQUIRED)
add_shell_file(${CMAKE_INSTALL_MANDIR}/man1 foldline.1.gz man | ${GZIP} -9n)
add_shell_file(${CMAKE_INSTALL_DATADIR}/bash-completion/completions foldline completions bash)
add_shell_file(${CMAKE_INSTALL_DATADIR}/zsh/site-functions _foldline completions zsh)
add_shell_file(${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d foldline.fish completions fish)
add_custom_target(foldline_shell_files ALL DEPENDS ${shell_files})
