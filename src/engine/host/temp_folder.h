// SPDX-License-Identifier: Apache-2.0
// A folder for a test that needs a real disk, gone with all that is in it at the end. For tests.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "core/assert.h"

namespace pawl::engine {

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "pawl-test-XXXXXX").string();
    PAWL_ASSERT(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace pawl::engine
