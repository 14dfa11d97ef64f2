#include "core/report/outputfile.h"

#include "core/base/files/outputfiles.h"

namespace fabricscope {

Status writeOutputFile(const std::string& path, std::string_view content, OutputFiles* files)
{
    if (files)
        return files->write(path, content);
    OutputFiles alone;
    if (Status status = alone.write(path, content); !status)
        return status;
    return alone.commit();
}

} // namespace fabricscope
