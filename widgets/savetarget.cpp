#include "widgets/savetarget.h"

#include <QFile>

#include <filesystem>

namespace fabricscope {

Status checkSaveTarget(const QString& path)
{
    Place place;
    place.file = QFile::encodeName(path).toStdString();
    std::error_code unknown; // What cannot be looked at is for the writer to tell.
    const std::filesystem::file_status status = std::filesystem::status(place.file, unknown);
    if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status) || std::filesystem::is_directory(status))
        return {};
    return Error{ErrorCode::NotWritable, "is a pipe, a socket or a device, not a file", place, {}};
}

} // namespace fabricscope
