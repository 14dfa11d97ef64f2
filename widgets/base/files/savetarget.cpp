#include "widgets/base/files/savetarget.h"

#include "core/design/referencedfiles.h"

#include <QFile>

#include <algorithm>
#include <filesystem>
#include <set>

namespace fabricscope {

namespace {

/// Of all windows of the process.
std::vector<const FilesInUse*>& registered()
{
    static std::vector<const FilesInUse*> all;
    return all;
}

/// A program stands in the list as such and as a file of the design.
void removePrograms(std::vector<NamedFile>& files)
{
    std::set<std::string> programs;
    for (const NamedFile& file : files) {
        if (file.name == kProgramOfDesign)
            programs.insert(file.path);
    }
    std::erase_if(files, [&programs](const NamedFile& file) { return programs.count(file.path) > 0; });
}

Place placeOf(const QString& path)
{
    Place place;
    place.file = QFile::encodeName(path).toStdString();
    return place;
}

} // namespace

FilesInUse::FilesInUse(List list) : m_list(std::move(list))
{
    registered().push_back(this);
}

FilesInUse::~FilesInUse()
{
    std::erase(registered(), this);
}

Status checkSaveTarget(const QString& path)
{
    const Place place = placeOf(path);
    std::error_code unknown; // What cannot be looked at is for the writer to tell.
    const std::filesystem::file_status status = std::filesystem::status(place.file, unknown);
    if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status) || std::filesystem::is_directory(status))
        return {};
    return Error{ErrorCode::NotWritable, "is a pipe, a socket or a device, not a file", place, {}};
}

Status checkTarget(const NamedFile& output, bool withPrograms)
{
    for (const FilesInUse* used : registered()) {
        std::vector<NamedFile> inputs = used->m_list();
        if (!withPrograms)
            removePrograms(inputs);
        if (!checkOutputs({output}, inputs)) {
            Place place;
            place.file = output.path;
            return Error{ErrorCode::NotWritable, "an open design reads this file, so nothing else is written over it", place, "another name"};
        }
    }
    return {};
}

Status checkExportTarget(const QString& path)
{
    if (Status status = checkSaveTarget(path); !status)
        return status;
    return checkTarget({"the file", QFile::encodeName(path).toStdString()}, true);
}

Status checkTracesTarget(const QString& prefix)
{
    for (const QString& path : {prefix + QStringLiteral(".0.et"), prefix + QStringLiteral(".json")}) {
        if (Status status = checkExportTarget(path); !status)
            return status;
    }
    return checkTarget({"the traces", QFile::encodeName(prefix).toStdString(), true}, true);
}

Status checkProgramTarget(const QString& path)
{
    if (Status status = checkSaveTarget(path); !status)
        return status;
    const QString graphs = QStringLiteral(".et");
    const bool prefix = path.endsWith(graphs);
    return checkTarget({"the program", QFile::encodeName(prefix ? path.chopped(graphs.size()) : path).toStdString(), prefix}, false);
}

} // namespace fabricscope
