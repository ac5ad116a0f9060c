# SPDX-License-Identifier: Apache-2.0
# libraft, the consensus core. Older versions commit entries of old terms by counting replicas and have other known
# holes, so the build refuses them. Run as a script (cmake -DRAFT_VERSION=... -P), it only checks the version.
set(PAWL_OLDEST_RAFT 0.22.1)

function(pawl_check_raft version)
  if(version STREQUAL "")
    message(FATAL_ERROR "Pawl needs libraft ${PAWL_OLDEST_RAFT} or newer (the cowsql line), and pkg-config finds none. "
      "Debian 13: libraft-dev; Debian 12: libraft-dev from backports. ./dev build installs it.")
  elseif(version VERSION_LESS PAWL_OLDEST_RAFT)
    message(FATAL_ERROR "libraft ${version} is too old: Pawl needs ${PAWL_OLDEST_RAFT} or newer (the cowsql line), because "
      "older ones can lose committed entries. Debian 12 has it in backports. ./dev build installs it.")
  endif()
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  pawl_check_raft("${RAFT_VERSION}")
  return()
endif()

find_package(PkgConfig REQUIRED)
pkg_check_modules(RAFT IMPORTED_TARGET raft)
pawl_check_raft("${RAFT_VERSION}")
