#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a room of the source tree uses one that it may not.

A room is a folder with one job (ARCHITECTURE.md shows them). This reads the #include lines, the pawl_room()
calls of CMake, and, in the rooms where time is data, the headers that could bring in a clock, chance or threads.

usage: check_rooms.py [ROOT]
"""
import pathlib
import re
import sys

# room: the rooms it may use. `cli` wires everything together and may use all.
ROOMS = {
    "api": [],
    "core": [],
    "codec": ["core"],
    "ports": ["core"],
    "engine": ["codec", "core", "ports"],
    "service": ["core", "ports"],
    "doors/http": ["core", "ports", "service"],
    "doors/resp": ["core", "ports", "service"],
    "client": ["api", "backends/*"],
    "cli": ["*"],
    "backends/redis": ["api"],
    "backends/redlock": ["api", "backends/redis"],
    "backends/postgres": ["api"],
    "backends/mysql": ["api"],
    "backends/etcd": ["api"],
    "backends/zookeeper": ["api"],
}

# Rooms that may include nothing but the standard library and their own.
STD_ONLY = {"api", "core", "ports"}

# In these, the same input must give the same output on every machine.
DETERMINISTIC = {"core", "codec"}
NONDETERMINISTIC_HEADERS = {
    "atomic", "condition_variable", "ctime", "filesystem", "fstream", "future", "iostream", "mutex", "random",
    "shared_mutex", "thread", "time.h", "unistd.h", "unordered_map", "unordered_set",
}
NONDETERMINISTIC_WORDS = re.compile(
    r"\b(system_clock|steady_clock|high_resolution_clock|random_device|getenv|clock_gettime|gettimeofday)\b")

# A foreign header, by how it begins, and the folders under src/ that may see it.
FENCED = {
    "raft.h": ["engine/consensus"],
    "google/protobuf": ["codec"],
    "prometheus/": ["service"],
    "boost/beast": ["doors/http", "cli"],
    "boost/json": ["doors/http", "cli"],
    "CLI/": ["cli"],
    "toml++/": ["cli"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
ROOM_CALL = re.compile(r"pawl_room\(\s*([\w/]+)(.*?)\)", re.S)


def room_of(path):
    """The room that an include path such as 'core/step.h' or 'backends/redis/x.h' belongs to, or None."""
    parts = path.split("/")
    if parts[0] == "pawl":
        return "api"
    for room in ("/".join(parts[:2]), parts[0]):
        if room in ROOMS:
            return room
    return None


def may_use(room, other):
    return room == other or any(
        allowed in ("*", other) or (allowed.endswith("/*") and other.startswith(allowed[:-1]))
        for allowed in ROOMS[room])


def strip_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def check_source(where, room, text):
    is_test = where.name.endswith("_test.cpp")
    for number, line in enumerate(text.splitlines(), 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        quote, header = found.groups()
        at = f"{where}:{number}"
        other = room_of(header)
        if other is not None and "/" in header:
            if not may_use(room, other):
                yield f"{at}: room '{room}' may not use room '{other}' ({header})"
            continue
        if is_test:
            continue
        is_std = quote == "<" and ("/" not in header and "." not in header)
        if room in STD_ONLY and not is_std:
            yield f"{at}: room '{room}' may use the standard library only ({header})"
        if room in DETERMINISTIC and header in NONDETERMINISTIC_HEADERS:
            yield f"{at}: room '{room}' must be deterministic ({header})"
        for begin, folders in FENCED.items():
            if header.startswith(begin) and not any(f"src/{folder}/" in where.as_posix() for folder in folders):
                yield f"{at}: only {' and '.join('src/' + folder for folder in folders)} may include {header}"
    if room in DETERMINISTIC and not is_test:
        for number, line in enumerate(strip_comments(text).splitlines(), 1):
            if found := NONDETERMINISTIC_WORDS.search(line):
                yield f"{where}: room '{room}' must be deterministic ({found.group()})"


def check_cmake(where, text, declared):
    text = re.sub(r"#[^\n]*", "", text)
    for name, body in ROOM_CALL.findall(text):
        declared.add(name)
        if name not in ROOMS:
            yield f"{where}: '{name}' is not a room; add it to tools/check_rooms.py and ARCHITECTURE.md"
            continue
        uses = re.search(r"\bUSES\b([^A-Z)]*)", body)
        for other in uses.group(1).split() if uses else []:
            if other not in ROOMS or not may_use(name, other):
                yield f"{where}: room '{name}' may not link room '{other}'"
    # Links around pawl_room() would escape the rule above.
    for call in re.findall(r"target_link_libraries\(([^)]*)\)", text):
        target, *libraries = call.split()
        for library in libraries:
            if target.startswith("pawl_") and library.startswith("pawl_") and library != "pawl_flags":
                yield f"{where}: link rooms with pawl_room(... USES ...), not {target} to {library}"


def check(root):
    declared = set()
    folders = {"api": root / "include/pawl", **{room: root / "src" / room for room in ROOMS if room != "api"}}
    for room, folder in folders.items():
        if not (folder / "README.md").is_file():
            yield f"{folder.relative_to(root)}: the room '{room}' has no README.md"
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".h", ".cpp", ".c"):
                yield from check_source(path.relative_to(root), room, path.read_text())
    for path in sorted((root / "src").rglob("CMakeLists.txt")):
        yield from check_cmake(path.relative_to(root), path.read_text(), declared)
    for room in sorted(set(ROOMS) - declared):
        yield f"src: the room '{room}' has no CMake target: declare it with pawl_room({room})"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    problems = list(check(root))
    for problem in problems:
        print(problem)
    print(f"{len(ROOMS)} rooms, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
