#pragma once

#include "core/base/result.h"
#include "core/trace/etnode.h"

#include <memory>
#include <string>

namespace fabricscope {

class OutputFiles;

/// Writes one trace in the current Chakra schema: the metadata, then one message per node. The file appears under its name only
/// when `finish` succeeded; before that, and after an error, there is none. A name that ends in ".gz" is packed.
class EtWriter {
public:
    /// Starts "PATH"; the metadata's version is "0.0.4" when empty, so that older readers know the form.
    /// With `files` it is one of these and appears with them (OutputFiles::commit). Errors: NotWritable, Cancelled.
    static Result<EtWriter> create(const std::string& path, const EtMetadata& metadata, OutputFiles* files = nullptr);
    EtWriter(EtWriter&&) noexcept;
    EtWriter& operator=(EtWriter&&) noexcept;
    /// Drops an unfinished file.
    ~EtWriter();

    Status add(const EtNode& node);
    Status finish();

private:
    struct Output;
    explicit EtWriter(std::unique_ptr<Output> output);
    Status write(const std::string& message);

    std::unique_ptr<Output> m_output;
};

/// The bytes of a whole trace, for tests and for small files.
std::string etBytes(const EtMetadata& metadata, const std::vector<EtNode>& nodes);

} // namespace fabricscope
