#include "core/programio/messagepairs.h"

#include "core/base/index.h"
#include "core/base/stop.h"

namespace fabricscope {

std::string connectionText(const Connection& connection)
{
    return "from rank " + std::to_string(std::get<0>(connection)) + " to rank " + std::to_string(std::get<1>(connection)) + " on channel " + std::to_string(std::get<2>(connection));
}

std::map<Connection, ConnectionEnds> connectionEnds(const ExplicitBody& body, const std::stop_token& stop)
{
    std::map<Connection, ConnectionEnds> out;
    for (std::int32_t rank = 0; rank < body.rankCount(); ++rank) {
        for (std::uint32_t op = body.rankBegin[at(rank)]; op < body.rankBegin[static_cast<std::size_t>(rank) + 1]; ++op) {
            checkStop(stop);
            if (body.kind[op] == OpKind::Send)
                out[{rank, body.peer[op], body.connection[op]}].sends.push_back(op);
            else if (receives(body.kind[op]))
                out[{body.peer[op], rank, body.connection[op]}].receives.push_back(op);
        }
    }
    return out;
}

Status checkPairs(const ExplicitBody& body, const std::map<Connection, ConnectionEnds>& ends)
{
    for (const auto& [connection, sides] : ends) {
        if (sides.sends.size() != sides.receives.size())
            return invalidInput(std::to_string(sides.sends.size()) + " sends " + connectionText(connection) + " meet " + std::to_string(sides.receives.size()) + " receives");
        for (std::size_t k = 0; k < sides.sends.size(); ++k) {
            if (body.count[sides.sends[k]] != body.count[sides.receives[k]])
                return invalidInput("message " + std::to_string(k) + ' ' + connectionText(connection) + " has another count where it is received");
        }
    }
    return {};
}

} // namespace fabricscope
