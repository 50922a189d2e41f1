# cmake -D MANIFEST=BUILD/install_manifest.txt -P uninstall.cmake: removes the files that are listed there, and those of
# foldline's own folders that this leaves empty. Under DESTDIR, if that is set, as the installation was.
if(NOT EXISTS "${MANIFEST}")
  message(FATAL_ERROR "Nothing to uninstall: ${MANIFEST} does not exist. `cmake --install` of this build directory writes it; "
                      "what another build directory or a package installed is to be removed there.")
endif()

file(STRINGS "${MANIFEST}" files)
set(folders "")
foreach(file IN LISTS files)
  set(path "$ENV{DESTDIR}${file}")
  if(EXISTS "${path}" OR IS_SYMLINK "${path}")
    message(STATUS "Removing ${path}")
    file(REMOVE "${path}")
    if(EXISTS "${path}" OR IS_SYMLINK "${path}")
      message(FATAL_ERROR "${path} could not be removed: run this as the user who installed it")
    endif()
  else()
    message(STATUS "Not there: ${path}")
  endif()
  get_filename_component(folder "${path}" DIRECTORY)
  list(APPEND folders "${folder}")
endforeach()

list(REMOVE_DUPLICATES folders)
list(SORT folders ORDER DESCENDING) # what is in a folder before the folder
foreach(folder IN LISTS folders)
  file(GLOB rest "${folder}/*")
  if(folder MATCHES "/foldline(/(cuda|detail|mpi|mpi/detail|nccl))?$" AND IS_DIRECTORY "${folder}" AND NOT rest)
    file(REMOVE_RECURSE "${folder}")
  endif()
endforeach()
