#pragma once

#include "core/programio/mscclxml.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace fabricscope::test {

/// The XML files of corpus/msccl_xml, by name.
inline std::vector<std::string> mscclCorpus(const std::string& shared)
{
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(shared + "/corpus/msccl_xml")) {
        if (entry.path().extension() == ".xml")
            files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// The program of a file that has no errors.
inline ProgramPtr mscclProgram(const std::string& path)
{
    auto read = readMsccl(path);
    if (!read || !read.value().valid() || !read.value().program)
        qFatal("%s is not readable", path.c_str());
    return std::move(read).value().program;
}

} // namespace fabricscope::test
