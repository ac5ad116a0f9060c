# SPDX-License-Identifier: Apache-2.0
# usage: cmake -D FROM=openapi.json -D TO=openapi.cpp -P embed_openapi.cmake
# Makes the source file that holds the document, as one raw string.
file(READ "${FROM}" document)
file(WRITE "${TO}" "// Made from openapi.json.
#include \"doors/http/openapi.h\"

namespace pawl::doors::http {

std::string_view openapi_document() {
  return R\"openapi(${document})openapi\";
}

}  // namespace pawl::doors::http
")
