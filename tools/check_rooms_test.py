#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The room check must fail for each thing that it forbids, and pass for what it allows."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_rooms


class CheckRooms(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        rooms = [room for room in check_rooms.ROOMS if room != "api"]
        for room in rooms:
            self.write(f"src/{room}/README.md", room)
        self.write("include/pawl/README.md", "api")
        calls = "\n".join(f"pawl_room({room})" for room in rooms if room not in ("codec", "cli"))
        self.write("src/CMakeLists.txt", f"pawl_room(api)\n{calls}\npawl_room(codec USES core)\npawl_room(cli USES core client)")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def problems(self):
        return "\n".join(check_rooms.check(self.root))

    def test_a_clean_tree_passes(self):
        self.write("src/core/a.h", '#include <vector>\n#include "core/b.h"\n')
        self.write("src/codec/a.cpp", '#include <google/protobuf/message.h>\n#include "core/a.h"\n')
        self.write("src/cli/main.cpp", '#include "engine/x.h"\n#include "doors/http/y.h"\n')
        self.write("src/client/c.cpp", '#include "pawl/pawl.h"\n#include "backends/redis/r.h"\n')
        self.assertEqual(self.problems(), "")

    def test_an_arrow_in_the_wrong_direction_fails(self):
        self.write("src/core/a.h", '#include "codec/entry.h"\n')
        self.assertIn("room 'core' may not use room 'codec'", self.problems())

    def test_a_door_that_reaches_past_the_service_fails(self):
        self.write("src/doors/http/a.cpp", '#include "engine/replica.h"\n')
        self.assertIn("room 'doors/http' may not use room 'engine'", self.problems())

    def test_a_foreign_header_in_core_fails(self):
        self.write("src/core/a.h", "#include <boost/asio.hpp>\n")
        self.assertIn("standard library only", self.problems())

    def test_a_clock_in_core_fails(self):
        self.write("src/core/a.cpp", "#include <chrono>\nauto t = std::chrono::steady_clock::now();\n")
        self.assertIn("must be deterministic (steady_clock)", self.problems())

    def test_unordered_containers_in_core_fail(self):
        self.write("src/core/a.cpp", "#include <unordered_map>\n")
        self.assertIn("must be deterministic (unordered_map)", self.problems())

    def test_raft_outside_its_wrapper_fails(self):
        self.write("src/engine/replica/a.c", "#include <raft.h>\n")
        self.assertIn("only src/engine/consensus may include raft.h", self.problems())
        self.write("src/engine/replica/a.c", "")
        self.write("src/engine/consensus/a.c", "#include <raft.h>\n")
        self.assertEqual(self.problems(), "")

    def test_a_link_in_the_wrong_direction_fails(self):
        self.write("src/core/CMakeLists.txt", "pawl_room(core SOURCES a.cpp USES codec)")
        self.assertIn("room 'core' may not link room 'codec'", self.problems())

    def test_a_link_around_the_rule_fails(self):
        self.write("src/core/CMakeLists.txt", "target_link_libraries(pawl_core PUBLIC pawl_engine)")
        self.assertIn("not pawl_core to pawl_engine", self.problems())

    def test_a_room_without_readme_or_target_fails(self):
        (self.root / "src/engine/README.md").unlink()
        self.assertIn("'engine' has no README.md", self.problems())
        self.write("src/CMakeLists.txt", "")
        self.assertIn("'core' has no CMake target", self.problems())


if __name__ == "__main__":
    unittest.main()
