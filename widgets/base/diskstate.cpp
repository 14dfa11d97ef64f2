#include "widgets/base/diskstate.h"

#include "core/base/textfile.h"

#include <QFile>

#include <cerrno>
#include <sys/stat.h>

namespace fabricscope {

DiskState diskState(const QString& path, const std::string& known)
{
    const std::string name = QFile::encodeName(path).toStdString();
    struct stat info {};
    if (::stat(name.c_str(), &info) != 0)
        return errno == EACCES ? DiskState::Unreadable : DiskState::Gone;
    if (!S_ISREG(info.st_mode))
        return DiskState::NotAFile;
    if (static_cast<std::size_t>(info.st_size) != known.size())
        return DiskState::Changed;
    const auto text = readTextFile(name, known.size() + 1);
    if (!text)
        return DiskState::Unreadable;
    return text.value() == known ? DiskState::Same : DiskState::Changed;
}

} // namespace fabricscope
