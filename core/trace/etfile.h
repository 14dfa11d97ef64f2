#pragma once

#include "core/base/result.h"
#include "core/trace/ranktrace.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// Reads one trace file: Chakra binary of any schema version, gzip of it, or one of the JSON forms (manual: formats 3.4).
/// `rank` only names the rank in messages; -1: none. Streams the file in blocks: the memory is the columns plus the longest message.
/// Told to stop: Cancelled.
Result<RankTrace> readTraceFile(const std::string& path, std::int64_t rank = -1, const std::stop_token& stop = {});

/// The same from memory; `place` names the input in errors.
Result<RankTrace> readTraceBytes(std::string_view bytes, Place place = {});

/// Everything about one node, read again from the file it came from. Only for binary files of the current schema; of others what the columns hold.
Result<EtNode> readNode(const RankTrace& trace, const std::string& path, std::uint32_t node, std::int64_t rank = -1);

/// Decodes a Node message completely. In etdetail.cpp, as readNode().
Result<EtNode> decodeNode(std::string_view message, const Place& place = {});

/// One of the JSON forms, from memory. Told to stop: Cancelled. In etjson.cpp.
Result<RankTrace> readTraceJson(std::string_view text, const Place& place, const std::stop_token& stop = {});

/// True when the bytes start like text, so that they are tried as JSON.
bool looksLikeJson(std::string_view bytes);

} // namespace fabricscope
