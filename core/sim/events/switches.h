#pragma once

#include "core/base/index.h"
#include "core/record/messagerecord.h"
#include "core/scenario/offloadrates.h"
#include "core/sim/events/agenda.h"
#include "core/sim/events/outcome/halt.h"
#include "core/sim/events/message.h"
#include "core/sim/events/messageroutes.h"
#include "core/sim/events/runplan.h"
#include "core/sim/events/setting.h"
#include "core/sim/events/slotpool.h"

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace fabricscope::events {

class Engine;

/// A sum or copy that a switch is to do: of a phase, or an operation of a team in an explicit body.
struct SwitchWork {
    std::int64_t bytes = 0;
    std::int32_t run = 0;
    std::int32_t stream = 0;
    std::int32_t chunk = 0;
    std::int32_t phase = 0;
    std::int32_t slot = 0;
    std::int32_t line = 0;
    std::int32_t operation = -1;      ///< Explicit body: the operation; -1: of a phase.
    std::int32_t owner = -1;          ///< Explicit body: coordinate of the member whose operation it is.
    std::int32_t step = 0;            ///< Explicit body: its step.
    std::int32_t sender = -1;         ///< Coordinate; -1: all.
    std::int32_t receiver = -1;       ///< Coordinate; -1: all.
    bool reduces = false;
    bool copies = false;
};

/// Switches that reduce and copy (the rules are innetwork.h): their reducers, copiers and buffers, who is connected to which, and the sums and copies
/// under way. Owns all of that; what phases and operations begin with it is Collectives' (switchphases.cpp, teams.cpp).
///
/// Calls that come in: start() of a sum or copy; contribute() when a piece has come up; received() when a message has come down; the event
/// HeadAtSwitch. Calls that go out: owe() of Collectives for messages a member has still to send; of Network send() up, sendDown() and then passDown()
/// piece by piece, compareMessages().
class Switches {
public:
    Switches(const Setting& given, Agenda& agenda, Halt& halt, Routes& routes, Engine& engine)
        : m_given(given), m_agenda(agenda), m_halt(halt), m_routes(routes), m_engine(engine)
    {
    }

    /// Connects members of a plan, by position, to the switch between them. Returns the number of the line.
    std::int32_t addLine(const Plan& plan, std::vector<std::int32_t> positions);
    /// Messages a contributor of so many bytes sends on a line. `both`: what is summed is copied to all.
    std::int64_t segments(std::int32_t number, std::int64_t bytes, bool both) const;
    void start(const SwitchWork& work);
    /// A piece of a message has crossed the link to the switch, as the `order`-th of the run.
    void contribute(const Message& message, std::int32_t index, std::int64_t head, std::int64_t tail, std::int64_t order);
    /// What came down with a message. \pre the message goes down
    struct Receipt {
        std::int32_t operation = -1; ///< As in SwitchWork.
        bool copies = false;
        bool isWhole = false;        ///< Explicit body: the receiver has all of it now.
        bool atOwner = false;        ///< Explicit body: the receiver is the owner.
    };
    Receipt received(const Message& message);

    // Work of the present instant.
    bool hasPlaces() const { return !m_dirty.empty(); }
    void settlePlaces();
    void headArrives(std::int32_t head) { m_arrived.push_back(head); } ///< The event HeadAtSwitch.
    bool hasHeads() const { return !m_arrived.empty(); }
    void serveHeads();

    /// What a message is part of. \pre it goes up or down
    const SwitchWork& work(const Message& message) const;
    /// What the record of a message says of its ends: -1 is the switch.
    void nameEnds(const Message& message, MessageRecord& record) const;

private:
    /// Reducer, copier and buffer of one switch.
    struct Server {
        SwitchRates rates;
        std::int64_t reducerFree = 0;     ///< w.
        std::int64_t copierFree = 0;      ///< v.
        std::int64_t room = 0;            ///< Bytes of the buffer without a piece; unused without a limit.
        std::vector<std::int32_t> fresh;  ///< Operations that start in this instant.
        std::deque<std::int32_t> round;   ///< Operations with pieces that wait for a place.
        bool dirty = false;
    };
    /// The members of one line of a phase, or of a team, and their switch.
    struct Line {
        std::int32_t server = 0;
        std::vector<std::int32_t> positions; ///< By coordinate r.
        std::vector<NodeId> nodes;           ///< Likewise.
        std::vector<std::int32_t> routes;    ///< By coordinate r: up from r, down to the next position.
    };
    /// A piece on its way to the switch; with a buffer limit, then to the receivers.
    struct Part {
        std::int64_t head = 0;
        std::int64_t tail = 0;
        std::int32_t count = 0; ///< Contributors it has come from; then receivers it has not reached.
    };
    /// A sum or copy under way.
    struct Operation : SwitchWork {
        std::int64_t segmentBytes = 0;    ///< Size of all messages of a contributor but the last.
        std::int32_t segments = 1;        ///< Messages of a contributor: 1 without a buffer limit.
        std::int32_t granted = 0;         ///< Of these have a place.
        std::int64_t deliveriesLeft = 0;
        std::vector<Part> pieces;
        std::vector<std::int32_t> undelivered; ///< Explicit body, by coordinate: messages a receiver has not got.
        std::vector<std::int32_t> downs;  ///< Messages to the receivers, while their pieces leave the switch.
    };
    /// A piece of which all contributions are about to be at the switch.
    struct Head {
        std::int64_t order = 0;           ///< Of processing at the last up-link.
        std::int32_t operation = 0;
        std::int32_t piece = 0;
    };

    Line& lineAt(std::int32_t number) { return m_lines[at(number)]; }
    const Line& lineAt(std::int32_t number) const { return m_lines[at(number)]; }
    Server& serverAt(std::int32_t number) { return m_servers[at(number)]; }
    const Server& serverAt(std::int32_t number) const { return m_servers[at(number)]; }
    std::int64_t segmentsAt(const Server& server, std::int64_t bytes) const;
    void touch(std::int32_t server);
    void sendSegment(std::int32_t operation);
    Message messageOf(const Operation& operation, std::int32_t item, std::int32_t segment) const;
    int compare(std::int32_t a, std::int32_t b) const;
    void leave(std::int32_t operation, std::int32_t piece);
    void sendDowns(Operation& operation, std::int32_t item, std::int32_t segment, const Line& line);

    const Setting m_given;
    Agenda& m_agenda;
    Halt& m_halt;
    Routes& m_routes;
    Engine& m_engine;

    std::vector<Server> m_servers;
    std::vector<Line> m_lines;
    std::map<OffloadSwitch, std::int32_t> m_serverOf;
    Pool<Operation> m_operations;
    Pool<Head> m_heads;
    // Work of the current instant.
    std::vector<std::int32_t> m_arrived; ///< Heads.
    std::vector<std::int32_t> m_dirty;   ///< Servers with operations that start, or with places that have become free.
};

} // namespace fabricscope::events
