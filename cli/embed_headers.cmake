# Writes the headers of kernels into a C++ source: cmake -D OUTPUT=FILE -D FOLDER=include -D "FILES=foldline/a.cuh;..." -P embed_headers.cmake
set(text "#include \"kernel_compiler.hpp\"\n\nnamespace foldline::cli {\n\nconst std::vector<DeviceHeader> device_headers = {\n")
foreach(path IN LISTS FILES)
  file(READ ${FOLDER}/${path} source)
  string(APPEND text "    {\"${path}\", R\"source(${source})source\"},\n")
endforeach()
string(APPEND text "};\n\n}  // namespace foldline::cli\n")
file(WRITE ${OUTPUT} "${text}")
