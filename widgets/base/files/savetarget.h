#pragma once

#include "core/base/files/outputcheck.h"

#include <QString>

#include <functional>
#include <vector>

namespace fabricscope {

/// Whether the window may write a file of this name: there is none yet, or a regular one. Writing to a pipe or a device may wait for ever, and
/// would keep the window waiting; the command line does it. Error: NotWritable.
Status checkSaveTarget(const QString& path);

/// checkSaveTarget(), and that no open design (FilesInUse) reads the file, by whatever name. Error: NotWritable. For the window's own thread.
Status checkExportTarget(const QString& path);

/// The same for traces PREFIX.RANK.et of all ranks, and their groups.
Status checkTracesTarget(const QString& prefix);

/// The same for a program, which may replace one that a design uses: the design follows it. `path` ending in .et stands for all graphs PATH.RANK.et.
Status checkProgramTarget(const QString& path);

/// While it lives, exports refuse the files that `list` gives. For the window's own thread.
class FilesInUse {
public:
    using List = std::function<std::vector<NamedFile>()>;
    explicit FilesInUse(List list);
    ~FilesInUse();
    FilesInUse(const FilesInUse&) = delete;
    FilesInUse& operator=(const FilesInUse&) = delete;

private:
    friend Status checkTarget(const NamedFile& output, bool withPrograms);
    List m_list;
};

} // namespace fabricscope
