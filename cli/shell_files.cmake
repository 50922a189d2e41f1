# Makes the manual page and the completions with the command that was built, and installs them where man and the shells
# look for them. Whoever builds the command alone can install too, so they are made along with it.
set(shell_folder ${CMAKE_CURRENT_BINARY_DIR}/share)
file(MAKE_DIRECTORY ${shell_folder})
function(add_shell_file folder name)
  set(file ${shell_folder}/${name})
  add_custom_command(TARGET foldline_cli POST_BUILD COMMAND foldline_cli ${ARGN} > ${file} BYPRODUCTS ${file} VERBATIM)
  install(FILES ${file} DESTINATION ${folder})
endfunction()

# Debian wants manual pages compressed, and man reads them so everywhere.
find_program(GZIP gzip REQUIRED)
add_shell_file(${CMAKE_INSTALL_MANDIR}/man1 foldline.1.gz man | ${GZIP} -9n)
add_shell_file(${CMAKE_INSTALL_DATADIR}/bash-completion/completions foldline completions bash)
add_shell_file(${CMAKE_INSTALL_DATADIR}/zsh/site-functions _foldline completions zsh)
add_shell_file(${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d foldline.fish completions fish)
