#pragma once

#include "core/trace/commgroups.h"
#include "core/trace/etfile.h"
#include "core/trace/etwriter.h"
#include "core/trace/traceset.h"

#include <memory>
#include <string>
#include <vector>

namespace fabricscope::test {

/// Nodes for tests, with the attributes that real writers give them.
EtNode compNode(std::uint64_t id, std::uint64_t micros, std::vector<std::uint64_t> dataDeps = {});
EtNode collNode(std::uint64_t id, EtCommType type, std::int64_t bytes, std::vector<std::uint64_t> dataDeps = {}, const std::string& group = {});
EtNode sendNode(std::uint64_t id, std::int64_t to, std::int64_t tag, std::int64_t bytes, std::vector<std::uint64_t> dataDeps = {});
EtNode recvNode(std::uint64_t id, std::int64_t from, std::int64_t tag, std::int64_t bytes, std::vector<std::uint64_t> dataDeps = {});

/// A trace set of the nodes of each rank, through bytes and the reader.
TraceSet traceSet(const std::vector<std::vector<EtNode>>& ranks, const EtMetadata& metadata = {"0.0.4", {}});

/// Writes bytes to a file.
bool writeBytes(const std::string& path, const std::string& bytes);
std::string readBytes(const std::string& path);

/// Bytes of a length-delimited protobuf message: the length in front.
std::string framed(const std::string& message);
/// A varint field, a field with length.
std::string varintField(unsigned number, std::uint64_t value);
std::string bytesField(unsigned number, const std::string& value);

/// "rank 0 node 5: message" of the first finding of `rule`; empty when there is none.
const Diagnostic* findRule(const Diagnostics& diagnostics, const std::string& rule);

} // namespace fabricscope::test
