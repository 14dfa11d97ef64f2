#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

namespace fabricscope {

/// (source, target, connection).
using Connection = std::tuple<std::int32_t, std::int32_t, std::int32_t>;

/// "from rank 0 to rank 1 on channel 2".
std::string connectionText(const Connection& connection);

/// Operations at the ends of a connection, in the order of the columns: the k-th send meets the k-th receive.
struct ConnectionEnds {
    std::vector<std::uint32_t> sends;
    std::vector<std::uint32_t> receives;
};

/// Told to stop: throws StopRequested (stop.h).
std::map<Connection, ConnectionEnds> connectionEnds(const ExplicitBody& body, const std::stop_token& stop = {});

/// As many receives as sends everywhere, and of the same counts?
Status checkPairs(const ExplicitBody& body, const std::map<Connection, ConnectionEnds>& ends);

} // namespace fabricscope
