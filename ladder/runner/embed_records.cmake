# Writes the records of GPUs into a C++ source: cmake -D OUTPUT=FILE -D FILES="records/nvidia-h200-ladder.json;..." -P embed_records.cmake
set(text "#include \"runner/records.hpp\"\n\nnamespace foldline::ladder {\n\nconst std::vector<Record> records = {\n")
foreach(path IN LISTS FILES)
  string(REGEX MATCH "nvidia-([a-z0-9]+)-" begin ${path})
  file(READ ${path} record)
  string(APPEND text "    {\"${CMAKE_MATCH_1}\", R\"record(${record})record\"},\n")
endforeach()
string(APPEND text "};\n\n}  // namespace foldline::ladder\n")
file(WRITE ${OUTPUT} "${text}")
