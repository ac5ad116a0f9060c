# SPDX-License-Identifier: Apache-2.0
# Warnings and sanitizers, as one interface target that every room and test links.
add_library(pawl_flags INTERFACE)
target_compile_options(pawl_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wimplicit-fallthrough
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Wold-style-cast>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees these in its own std::variant and std::string at -O2 and above.
  target_compile_options(pawl_flags INTERFACE -Wno-maybe-uninitialized -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND PAWL_SANITIZE MATCHES "thread")
  target_compile_options(pawl_flags INTERFACE -Wno-tsan)  # fences in Boost.Asio
endif()
if(PAWL_WERROR)
  target_compile_options(pawl_flags INTERFACE -Werror)
endif()
if(PAWL_SANITIZE)
  add_compile_options(-fsanitize=${PAWL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(NOT PAWL_FUZZ)
    add_link_options(-fsanitize=${PAWL_SANITIZE})
  else()
    add_link_options(-fsanitize=address,undefined)
  endif()
endif()
