# cmake -DSOURCE_DIR=... -DOUTPUT=... -P BuildId.cmake
# Writes the definition of tegula::buildId() where the hash of the sources is not the one that OUTPUT holds.
file(GLOB_RECURSE sources LIST_DIRECTORIES false
  ${SOURCE_DIR}/core/* ${SOURCE_DIR}/backends/* ${SOURCE_DIR}/frontend/*)
list(FILTER sources INCLUDE REGEX "\\.(h|hpp|inc|cpp|td|py|in|cmake|txt)$")
list(SORT sources)
set(hashes "")
foreach(source IN LISTS sources)
  file(SHA256 ${source} hash)
  file(RELATIVE_PATH relative ${SOURCE_DIR} ${source})
  string(APPEND hashes "${relative} ${hash}\n")
endforeach()
string(SHA256 id "${hashes}")
string(SUBSTRING ${id} 0 32 id)
string(CONCAT text "// Written by core/runtime/BuildId.cmake.\n#include \"core/contracts/Compiler.h\"\n\n"
  "const char *tegula::buildId() { return \"${id}\"; }\n")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${text}" @ONLY) # which writes only what differs
