# simt_kernels(target FILE...): compiles files with CUDA kernels for the simulator, with the target's include directories and
# definitions, and links them and the simulator into it. CMAKE_CXX_COMPILER_LAUNCHER counts here, too. The variable simt_options has options of simt-cc.
function(simt_kernels target)
  set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  set(launcher "")
  list(LENGTH CMAKE_CXX_COMPILER_LAUNCHER words)
  if(words EQUAL 1)
    set(launcher "--launcher=${CMAKE_CXX_COMPILER_LAUNCHER}")
  endif()
  set(architecture "")
  if(CMAKE_CROSSCOMPILING) # simt-cc runs in the emulator, and the clang that it starts does not
    set(architecture "--target=${CMAKE_LIBRARY_ARCHITECTURE}")
  endif()
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE source)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE name)
    string(REPLACE ".." "up" name ${name})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/simt_kernels/${target}/${name}.o)
    cmake_path(GET object PARENT_PATH folder)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(
      OUTPUT ${object}
      COMMAND
        simt-cc ${launcher} ${architecture} ${simt_options} "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>" "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>" -fPIC -fdebug-prefix-map=${PROJECT_SOURCE_DIR}/= -MD
        -MT ${object} -MF ${object}.d -c ${source} -o ${object}
      DEPENDS ${source} simt-cc
      DEPFILE ${object}.d
      COMMENT "Compiling ${name} for the SIMT simulator"
      COMMAND_EXPAND_LISTS VERBATIM)
    target_sources(${target} PRIVATE ${object})
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  endforeach()
  target_link_libraries(${target} PRIVATE simt)
endfunction()
