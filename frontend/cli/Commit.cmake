# cmake -DSOURCE_DIR=... -DOUTPUT=... -P Commit.cmake
# Writes the definition of tegula::cli::commit() where it is not the one that OUTPUT holds: the commit of the sources,
# with "+" behind it if files differ from it; empty where the sources are no git repository.
execute_process(COMMAND git -C ${SOURCE_DIR} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit ERROR_QUIET
  OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND git -C ${SOURCE_DIR} diff-index --quiet HEAD -- RESULT_VARIABLE differs ERROR_QUIET
  OUTPUT_QUIET)
if(commit AND differs)
  string(APPEND commit "+")
endif()
string(CONCAT text "// Written by frontend/cli/Commit.cmake.\n#include \"frontend/cli/Version.h\"\n\n"
  "const char *tegula::cli::commit() { return \"${commit}\"; }\n")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${text}" @ONLY) # which writes only what differs
