#pragma once

#include "core/base/result.h"

#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// The output files of one command: written under temporary names, and given their own names all together, or never. Thread-safe: a
/// signal may abandon them while they are written.
class OutputFiles {
public:
    OutputFiles() = default;
    /// Removes every temporary file that is left.
    ~OutputFiles();
    OutputFiles(const OutputFiles&) = delete;
    OutputFiles& operator=(const OutputFiles&) = delete;

    /// Writes `content` to a temporary file in the folder of `path` (temporaryName()). A symbolic link keeps pointing where it did, also to
    /// nothing yet: the file behind it is replaced, keeping its mode and where allowed its owner. Devices, pipes, "-" and the like
    /// (streamOf()) get the content in commit(). What killed processes left in that folder is removed. Errors: NotWritable, with the system's reason; Cancelled.
    Status write(const std::string& path, std::string_view content);

    /// An empty temporary file in the folder of `path`, for a writer of its own that is done before commit(). Errors: as write().
    Result<std::string> open(const std::string& path);

    /// A file among the system's temporary files, its name ending in `suffix`; removed by commit() and with this object. Errors: as write().
    Result<std::string> scratch(const std::string& suffix, std::string_view content = {});

    /// A folder of its own among the system's temporary files; removed with all in it by commit(), abandon() and with this object. Errors: as write().
    Result<std::string> scratchFolder();

    /// Gives all files their names, in the order they were begun; they and then their folders are on disk before it returns. Errors: NotWritable (the first file that could not be renamed; the
    /// others are), Cancelled (after abandon(): no file got its name).
    Status commit();

    /// Removes all temporary files; nothing more is written. False: commit() was there first, and the files have their names.
    bool abandon();

private:
    struct Temporary {
        std::string name;
        std::string target; ///< Empty: never renamed.
        std::string path;   ///< As the user named it.
    };
    struct Direct {
        std::string path;
        std::string target;
        std::string content;
    };
    struct Made {
        int file = -1; ///< Open for writing.
        std::string name;
    };
    /// Makes a temporary file and keeps its name. Errors: as write().
    Result<Made> create(Temporary temporary, int suffixLength);
    void removeAll();
    bool isAbandoned();
    /// Ends early, without an error, when the files are abandoned. Errors: NotWritable.
    Status flush(const std::vector<Temporary>& files);

    std::set<std::string> m_cleaned; ///< Folders looked through for what dead processes left.
    std::mutex m_mutex;
    std::vector<Temporary> m_temporaries;
    std::vector<std::string> m_folders;
    std::vector<Direct> m_direct;
    bool m_abandoned = false;
    bool m_committed = false;
};

} // namespace fabricscope
