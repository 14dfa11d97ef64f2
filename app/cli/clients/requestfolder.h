#pragma once

#include "core/base/result.h"
#include "core/serve/clientrequest.h"

#include <memory>
#include <string>
#include <vector>

namespace fabricscope::cli {

/// A folder of its own for the files of a request, removed with it.
class RequestFolder {
public:
    /// Error: NotWritable.
    static Result<std::unique_ptr<RequestFolder>> make(const std::vector<RequestFile>& files);
    ~RequestFolder();
    RequestFolder(const RequestFolder&) = delete;
    RequestFolder& operator=(const RequestFolder&) = delete;

    const std::string& path() const { return m_path; }
    /// What the command wrote there, as one JSON object: texts by their names, null where it is no text or too much; empty: nothing.
    std::string writtenJson() const;

private:
    RequestFolder() = default;

    std::string m_path;
    std::vector<std::string> m_given; ///< Sorted.
};

} // namespace fabricscope::cli
