# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Every Debian package the project needs; the only place that lists them.
#
#   group      build: to compile; check: to test, format and lint; servers: the real servers tests talk to;
#              bench: what the benchmarks compare with
#   package    its name; with @RELEASE=OTHER, the one Debian release where what will do has another name
#   minimum    oldest version that will do, or -
#   backports  the Debian release whose own version is too old, so that it comes from backports, or -
#   sign       how to recognise it where there is no dpkg: cmd:PROGRAM, pc:PKG-CONFIG-MODULE or
#              h:HEADER:MACRO, the macro that says the version

package_table() {
  cat <<'TABLE'
build    g++                 -       -         cmd:g++
build    cmake               -       -         cmd:cmake
build    ninja-build         -       -         cmd:ninja
build    ccache              -       -         cmd:ccache
build    python3             -       -         cmd:python3
build    git                 -       -         cmd:git
build    pkg-config          -       -         cmd:pkg-config
build    protobuf-compiler   -       -         cmd:protoc
build    libprotobuf-dev     -       -         pc:protobuf
build    libgtest-dev        -       -         pc:gtest
build    libgmock-dev        -       -         pc:gmock
build    libbenchmark-dev    -       -         pc:benchmark
build    libraft-dev         0.22.1  bookworm  pc:raft
build    libuv1-dev          -       -         pc:libuv
build    libboost-dev@bookworm=libboost1.81-dev  1.81  -  h:boost/version.hpp:BOOST_LIB_VERSION
build    libboost-json-dev@bookworm=libboost-json1.81-dev  -  -  h:boost/json.hpp:BOOST_LIB_VERSION
build    prometheus-cpp-dev  -       -         pc:prometheus-cpp-core
build    libcli11-dev        -       -         pc:CLI11
build    libtomlplusplus-dev -       -         pc:tomlplusplus
check    clang-19            -       -         cmd:clang-19
check    libclang-rt-19-dev  -       -         cmd:clang-19
check    clang-format-19     -       -         cmd:clang-format-19
check    clang-tidy-19       -       -         cmd:clang-tidy-19
check    python3-jsonschema  -       -         cmd:jsonschema
check    iproute2            -       -         cmd:ip
servers  prometheus          -       -         cmd:promtool
bench    etcd-server         -       -         cmd:etcd
TABLE
}
