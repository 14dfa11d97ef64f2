#include "core/programio/mscclpp.h"

#include "core/base/jsontext.h"
#include "core/program/programbuilder.h"
#include "core/programio/jsonreading.h"
#include "core/programio/mscclnames.h"
#include "core/programio/programcheck.h"

#include <algorithm>
#include <map>

namespace fabricscope {

namespace {

using nlohmann::json;

constexpr std::int64_t kMostRanks = 1 << 16;
constexpr std::int64_t kMostChunks = 1 << 20;

/// A place an operation names: on this rank, on a peer, or on a team of a switch.
struct Operand {
    std::int32_t rank = 0;
    std::int32_t team = -1;
    BufferKind buffer = BufferKind::None;
    std::int32_t index = 0;
    std::int32_t size = 1;
};

/// Channels of a GPU by kind, and its remote buffers.
struct Gpu {
    std::map<std::string, std::vector<std::int32_t>> peers; ///< By kind: the rank each channel leads to.
    std::vector<std::pair<std::int32_t, BufferKind>> remote;
    std::vector<std::pair<std::int32_t, BufferKind>> switches; ///< Team and buffer.
};

struct Block {
    const json* value = nullptr;
    std::string path;
    std::int32_t lane = 0;
    std::vector<std::pair<const json*, std::string>> ops; ///< Pipelines written out.
    std::size_t next = 0;
    ProgramBuilder::Op last = ProgramBuilder::kNone;
    std::vector<ProgramBuilder::Op> mustFollow; ///< Of a barrier, for the next operation.
};

class Plan {
public:
    Plan(const json& root, const std::string& file)
        : m_root(root)
        , m_reading(file)
        , m_file(file)
    {
    }

    Result<ProgramPtr> read();

private:
    void readHeader(Program& header);
    void readGpu(const json& value, const std::string& path, std::int32_t rank);
    void readBlocks(const json& value, const std::string& path, std::int32_t rank);
    void addOps(Block& block, const json& ops, const std::string& path);
    void addOp(std::int32_t rank, Block& block, const json& op, const std::string& path);
    void addMessages(std::int32_t rank, Block& block, const json& op, const std::string& path, OpKind kind);
    void addPuts(std::int32_t rank, Block& block, const json& op, const std::string& path, const std::vector<Operand>& sources, const std::vector<Operand>& targets);
    void addSum(std::int32_t rank, Block& block, const std::vector<Operand>& sources, const Operand& target, const std::string& path);
    void addSwitch(std::int32_t rank, Block& block, const std::vector<Operand>& sources, const std::vector<Operand>& targets, const std::string& path);
    std::vector<Operand> operands(std::int32_t rank, const Block& block, const json& op, const char* key, const std::string& path);
    /// Global number of a channel, or remote buffer, by its number in the thread block; -1 and an error where there is none.
    std::int64_t global(const Block& block, const char* list, const char* kindKey, const char* idsKey, const std::string& kind, std::int64_t number, const std::string& path);
    std::pair<std::int32_t, std::int32_t> channel(std::int32_t rank, const Block& block, const std::string& kind, std::int64_t number, const std::string& path);
    void push(std::int32_t rank, Block& block, ProgramBuilder::Row row);
    BufferKind bufferOf(const json& value, const std::string& path)
    {
        const std::string letter = value.is_string() ? value.get<std::string>() : std::string();
        if (letter != "i" && letter != "o" && letter != "s")
            m_reading.fail(path, "no buffer", "i, o or s");
        return letter == "i" ? BufferKind::Input : letter == "o" ? BufferKind::Output : BufferKind::Scratch;
    }
    void unsupported(const std::string& path, const std::string& what)
    {
        if (!m_unsupported && m_reading.good()) {
            Place place;
            place.file = m_file;
            place.field = path;
            m_unsupported = Error{ErrorCode::Unsupported, what, std::move(place), {}};
        }
    }
    bool good() const { return m_reading.good() && !m_unsupported; }

    const json& m_root;
    JsonReading m_reading;
    std::string m_file;
    std::optional<Error> m_unsupported;
    std::optional<ProgramBuilder> m_builder;
    std::vector<Gpu> m_gpus;
};

void Plan::readHeader(Program& header)
{
    header.name = m_reading.textOf(m_root, "name", {}, {});
    const std::string collective = m_reading.textOf(m_root, "collective", {}, {});
    const auto op = mscclCollective(collective);
    if (!op)
        m_reading.fail("collective", '"' + collective.substr(0, 60) + "\" is no collective", "allreduce, allgather, reducescatter, broadcast or alltoall");
    header.op = op.value_or(CollectiveOp::Custom);
    const std::string protocol = m_reading.textOf(m_root, "protocol", {}, "Simple");
    const auto wire = mscclProtocol(protocol);
    if (!wire)
        m_reading.fail("protocol", '"' + protocol.substr(0, 60) + "\" is no protocol", "Simple, LL or LL128");
    header.protocol = wire.value_or(WireProtocol::Simple);
    header.inPlace = m_reading.truthOf(m_root, "inplace", {}, false);
    header.outOfPlace = !header.inPlace;
    header.minBytes = m_reading.integerOf(m_root, "min_message_size", {}, 0, INT64_MAX, 0);
    const auto most = m_root.find("max_message_size"); // 2^64 - 1: no limit.
    const bool limited = most != m_root.end() && !(most->is_number_unsigned() && most->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX));
    header.maxBytes = limited ? m_reading.integer(*most, "max_message_size", 0, INT64_MAX) : 0;
}

void Plan::readGpu(const json& value, const std::string& path, std::int32_t rank)
{
    if (!value.is_object() || m_reading.integerOf(value, "id", path, 0, kMostRanks, -1) != rank)
        return m_reading.fail(path + ".id", "the gpus are not numbered in order", std::to_string(rank));
    Gpu& gpu = m_gpus[static_cast<std::size_t>(rank)];
    const auto ranks = static_cast<std::int64_t>(m_gpus.size());
    const json& channels = m_reading.arrayOf(value, "channels", path);
    for (std::size_t i = 0; i < channels.size() && good(); ++i) {
        const std::string at = path + ".channels[" + std::to_string(i) + ']';
        if (!channels[i].is_object())
            return m_reading.fail(at, "not an object");
        const std::string kind = m_reading.textOf(channels[i], "channel_type", at, {});
        if (kind == "switch") {
            const BufferKind buffer = bufferOf(channels[i].value("buffer_type", json()), at + ".buffer_type");
            for (const json& group : m_reading.arrayOf(channels[i], "rank_groups", at)) {
                const json members = group.is_object() ? group.value("ranks", json()) : json();
                auto team = m_reading.integers<std::int32_t>(members, at + ".rank_groups", 0, ranks - 1);
                std::sort(team.begin(), team.end());
                auto& teams = m_builder->extras().teams;
                const auto found = std::find(teams.begin(), teams.end(), team);
                gpu.switches.emplace_back(static_cast<std::int32_t>(found - teams.begin()), buffer);
                if (found == teams.end())
                    teams.push_back(std::move(team));
            }
        } else if (kind == "memory" || kind == "port") {
            for (const std::int32_t peer : m_reading.integers<std::int32_t>(m_reading.arrayOf(channels[i], "connected_to", at), at + ".connected_to", 0, ranks - 1))
                gpu.peers[kind].push_back(peer);
        } else {
            m_reading.fail(at + ".channel_type", '"' + kind.substr(0, 60) + "\" is no channel", "memory, port or switch");
        }
    }
    const json& buffers = m_reading.arrayOf(value, "remote_buffers", path);
    for (std::size_t i = 0; i < buffers.size() && good(); ++i) {
        const std::string at = path + ".remote_buffers[" + std::to_string(i) + ']';
        if (!buffers[i].is_object())
            return m_reading.fail(at, "not an object");
        const auto owner = static_cast<std::int32_t>(m_reading.integerOf(buffers[i], "rank", at, 0, ranks - 1, 0));
        gpu.remote.emplace_back(owner, bufferOf(buffers[i].value("type", json()), at + ".type"));
    }
}

std::int64_t Plan::global(const Block& block, const char* list, const char* kindKey, const char* idsKey, const std::string& kind, std::int64_t number, const std::string& path)
{
    std::int64_t left = number;
    for (const json& entry : m_reading.arrayOf(*block.value, list, block.path)) {
        if (!entry.is_object() || m_reading.textOf(entry, kindKey, block.path, {}) != kind)
            continue;
        const json& ids = m_reading.arrayOf(entry, idsKey, block.path);
        if (left < static_cast<std::int64_t>(ids.size()))
            return m_reading.integer(ids[static_cast<std::size_t>(left)], block.path + '.' + list, 0, kMostChunks);
        left -= static_cast<std::int64_t>(ids.size());
    }
    m_reading.fail(path, "the thread block has no " + kind + " entry " + std::to_string(number) + " in its " + list);
    return -1;
}

/// Peer and connection of a channel of the thread block.
std::pair<std::int32_t, std::int32_t> Plan::channel(std::int32_t rank, const Block& block, const std::string& kind, std::int64_t number, const std::string& path)
{
    const std::int64_t id = global(block, "channels", "channel_type", "channel_ids", kind, number, path);
    const std::vector<std::int32_t>& peers = m_gpus[static_cast<std::size_t>(rank)].peers[kind];
    if (id < 0 || id >= static_cast<std::int64_t>(peers.size())) {
        m_reading.fail(path, "there is no " + kind + " channel " + std::to_string(id));
        return {};
    }
    const std::int32_t peer = peers[static_cast<std::size_t>(id)];
    const auto before = std::count(peers.begin(), peers.begin() + id, peer);
    return {peer, static_cast<std::int32_t>(2 * before) + (kind == "port" ? 1 : 0)};
}

std::vector<Operand> Plan::operands(std::int32_t rank, const Block& block, const json& op, const char* key, const std::string& path)
{
    std::vector<Operand> out;
    const std::string kind = m_reading.textOf(op, "channel_type", path, {});
    const json& list = m_reading.arrayOf(op, key, path);
    const Gpu& gpu = m_gpus[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < list.size() && good(); ++i) {
        const std::string at = path + '.' + key + '[' + std::to_string(i) + ']';
        if (!list[i].is_object()) {
            m_reading.fail(at, "not an object");
            break;
        }
        Operand operand;
        operand.rank = rank;
        operand.index = static_cast<std::int32_t>(m_reading.integerOf(list[i], "index", at, 0, kMostChunks, 0));
        operand.size = static_cast<std::int32_t>(m_reading.integerOf(list[i], "size", at, 1, kMostChunks, 1));
        if (list[i].contains("switch_channel_id")) {
            const std::int64_t id = global(block, "channels", "channel_type", "channel_ids", "switch", m_reading.integer(list[i]["switch_channel_id"], at, 0, kMostChunks), at);
            if (id < 0 || id >= static_cast<std::int64_t>(gpu.switches.size()))
                m_reading.fail(at, "there is no such switch channel");
            else
                std::tie(operand.team, operand.buffer) = gpu.switches[static_cast<std::size_t>(id)];
        } else if (list[i].contains("buffer_id")) {
            const std::int64_t id = global(block, "remote_buffer_refs", "access_channel_type", "remote_buffer_ids", kind, m_reading.integer(list[i]["buffer_id"], at, 0, kMostChunks), at);
            if (id < 0 || id >= static_cast<std::int64_t>(gpu.remote.size()))
                m_reading.fail(at, "there is no such remote buffer");
            else
                std::tie(operand.rank, operand.buffer) = gpu.remote[static_cast<std::size_t>(id)];
        } else {
            operand.buffer = bufferOf(list[i].value("type", json()), at + ".type");
        }
        out.push_back(operand);
    }
    return out;
}

void Plan::push(std::int32_t rank, Block& block, ProgramBuilder::Row row)
{
    row.rank = rank;
    row.lane = block.lane;
    row.step = static_cast<std::int32_t>(block.next);
    block.last = m_builder->add(row);
    for (const ProgramBuilder::Op other : block.mustFollow)
        m_builder->depend(block.last, other);
    block.mustFollow.clear();
}

void Plan::addMessages(std::int32_t rank, Block& block, const json& op, const std::string& path, OpKind kind)
{
    const std::string channelKind = m_reading.textOf(op, "channel_type", path, {});
    const json& ids = m_reading.arrayOf(op, "channel_ids", path);
    for (std::size_t i = 0; i < ids.size() && good(); ++i) {
        ProgramBuilder::Row row;
        row.kind = kind;
        row.count = 0;
        std::tie(row.peer, row.connection) = channel(rank, block, channelKind, m_reading.integer(ids[i], path + ".channel_ids", 0, kMostChunks), path + ".channel_ids");
        if (good())
            push(rank, block, row);
    }
}

void Plan::addPuts(std::int32_t rank, Block& block, const json& op, const std::string& path, const std::vector<Operand>& sources, const std::vector<Operand>& targets)
{
    const std::string channelKind = m_reading.textOf(op, "channel_type", path, {});
    const json& ids = m_reading.arrayOf(op, "channel_ids", path);
    if (sources.empty() || (sources.size() != 1 && sources.size() != targets.size()) || ids.size() != targets.size())
        return m_reading.fail(path, "not a source and a channel for every target");
    for (std::size_t i = 0; i < targets.size() && good(); ++i) {
        const Operand& source = sources[sources.size() == 1 ? 0 : i];
        ProgramBuilder::Row row;
        row.kind = OpKind::Put;
        std::tie(row.peer, row.connection) = channel(rank, block, channelKind, m_reading.integer(ids[i], path + ".channel_ids", 0, kMostChunks), path + ".channel_ids");
        if (good() && (row.peer != targets[i].rank || source.rank != rank || source.size != targets[i].size || row.peer == rank))
            m_reading.fail(path + ".dst_buff[" + std::to_string(i) + ']', "the target is not of the rank the channel leads to, or has another size");
        row.count = source.size;
        row.chunk = source.index;
        row.sourceBuffer = source.buffer;
        row.sourceOffset = source.index;
        row.targetBuffer = targets[i].buffer;
        row.targetOffset = targets[i].index;
        if (good())
            push(rank, block, row);
    }
}

/// target := sum of the sources.
void Plan::addSum(std::int32_t rank, Block& block, const std::vector<Operand>& sources, const Operand& target, const std::string& path)
{
    const auto isTarget = [&](const Operand& source) { return source.buffer == target.buffer && source.index == target.index; };
    const auto local = [&](const Operand& operand) { return operand.rank == rank && operand.team < 0 && operand.size == target.size; };
    if (sources.empty() || !local(target) || !std::all_of(sources.begin(), sources.end(), local))
        return m_reading.fail(path, "not sources and a target of one size on the rank itself");
    bool filled = std::any_of(sources.begin(), sources.end(), isTarget);
    bool own = false;
    for (const Operand& source : sources) {
        if (isTarget(source) && !own) {
            own = true;
            continue;
        }
        ProgramBuilder::Row row;
        row.kind = filled ? OpKind::Reduce : OpKind::Copy;
        row.count = target.size;
        row.chunk = target.index;
        row.sourceBuffer = source.buffer;
        row.sourceOffset = source.index;
        row.targetBuffer = target.buffer;
        row.targetOffset = target.index;
        push(rank, block, row);
        filled = true;
    }
}

void Plan::addSwitch(std::int32_t rank, Block& block, const std::vector<Operand>& sources, const std::vector<Operand>& targets, const std::string& path)
{
    const bool fits = sources.size() == 1 && targets.size() == 1 && sources[0].team >= 0 && targets[0].team >= 0 && sources[0].size == targets[0].size;
    if (!fits)
        return m_reading.fail(path, "not one source and one target of one size in switch channels");
    ProgramBuilder::Row row;
    row.kind = OpKind::SwitchReduce;
    row.peer = sources[0].team;
    row.count = sources[0].size;
    row.chunk = sources[0].index;
    row.sourceBuffer = sources[0].buffer;
    row.sourceOffset = sources[0].index;
    row.targetBuffer = targets[0].buffer;
    row.targetOffset = targets[0].index;
    push(rank, block, row);
    row.kind = OpKind::SwitchMulticast;
    row.peer = targets[0].team;
    row.sourceBuffer = targets[0].buffer;
    row.sourceOffset = targets[0].index;
    push(rank, block, row);
}

void Plan::addOp(std::int32_t rank, Block& block, const json& op, const std::string& path)
{
    const std::string name = m_reading.textOf(op, "name", path, {});
    if (name == "nop" || name == "flush")
        return;
    const json group = op.value("tbg_info", json::object());
    if (group.is_object() && m_reading.integerOf(group, "tbg_size", path + ".tbg_info", 1, kMostChunks, 1) > 1)
        return unsupported(path, "thread blocks that share one operation are not supported");
    if (name == "signal" || name == "rlxsignal")
        return addMessages(rank, block, op, path, OpKind::Signal);
    if (name == "wait" || name == "rlxwait")
        return addMessages(rank, block, op, path, OpKind::Wait);
    if (name == "get" || name == "rre" || name == "rres")
        return unsupported(path, '"' + name + "\": reading the memory of another rank is not supported");
    if (name.ends_with("pkt"))
        return unsupported(path, '"' + name + "\": packets are not supported");
    if (name == "sem_acquire" || name == "sem_release")
        return unsupported(path, '"' + name + "\": semaphores between thread blocks are not supported");
    const std::vector<Operand> sources = operands(rank, block, op, "src_buff", path);
    std::vector<Operand> targets = operands(rank, block, op, "dst_buff", path);
    if (!good())
        return;
    if (name == "put" || name == "pws" || name == "pwsf") {
        addPuts(rank, block, op, path, sources, targets);
        if (name != "put" && good())
            addMessages(rank, block, op, path, OpKind::Signal);
    } else if (name == "copy" || name == "re" || name == "res") {
        if (targets.empty() || (name == "copy" && sources.size() != 1))
            return m_reading.fail(path, "no source or target");
        addSum(rank, block, sources, targets[0], path);
        const Operand sum = targets[0];
        targets.erase(targets.begin());
        if (name == "res" && good())
            addPuts(rank, block, op, path, {sum}, targets);
    } else if (name == "glres") {
        addSwitch(rank, block, sources, targets, path);
    } else {
        m_reading.fail(path + ".name", '"' + name.substr(0, 60) + "\" is no operation");
    }
}

void Plan::addOps(Block& block, const json& ops, const std::string& path)
{
    for (std::size_t i = 0; i < ops.size() && good(); ++i) {
        const std::string at = path + '[' + std::to_string(i) + ']';
        if (!ops[i].is_object())
            return m_reading.fail(at, "not an object");
        if (m_reading.textOf(ops[i], "name", at, {}) != "pipeline")
            block.ops.emplace_back(&ops[i], at);
        else // parseJson limits how deep this goes.
            addOps(block, m_reading.arrayOf(ops[i], "ops", at), at + ".ops");
    }
}

void Plan::readBlocks(const json& value, const std::string& path, std::int32_t rank)
{
    std::vector<Block> blocks;
    const json& list = m_reading.arrayOf(value, "threadblocks", path);
    for (std::size_t i = 0; i < list.size() && good(); ++i) {
        Block block;
        block.value = &list[i];
        block.path = path + ".threadblocks[" + std::to_string(i) + ']';
        if (!list[i].is_object())
            return m_reading.fail(block.path, "not an object");
        block.lane = static_cast<std::int32_t>(m_reading.integerOf(list[i], "id", block.path, 0, kMostChunks, static_cast<std::int64_t>(i)));
        for (const Block& other : blocks) {
            if (other.lane == block.lane)
                m_reading.fail(block.path + ".id", "a second thread block has this number");
        }
        addOps(block, m_reading.arrayOf(list[i], "ops", block.path), block.path + ".ops");
        blocks.push_back(std::move(block));
    }
    // Every block up to its next barrier; a barrier opens when all its blocks stand there.
    bool moved = true;
    while (moved && good()) {
        moved = false;
        std::map<std::int64_t, std::vector<Block*>> waiting;
        for (Block& block : blocks) {
            for (; block.next < block.ops.size() && good(); ++block.next) {
                const auto& [op, at] = block.ops[block.next];
                if (m_reading.textOf(*op, "name", at, {}) == "barrier") {
                    waiting[m_reading.integerOf(*op, "barrier_id", at, 0, kMostChunks, 0)].push_back(&block);
                    break;
                }
                addOp(rank, block, *op, at);
                moved = true;
            }
        }
        for (auto& [id, members] : waiting) {
            const auto& [op, at] = members.front()->ops[members.front()->next];
            if (static_cast<std::int64_t>(members.size()) < m_reading.integerOf(*op, "num_threadblocks", at, 1, kMostChunks, 1))
                continue;
            std::vector<ProgramBuilder::Op> ends;
            for (Block* const member : members) {
                if (member->last != ProgramBuilder::kNone)
                    ends.push_back(member->last);
                // Barriers behind each other, with nothing between.
                ends.insert(ends.end(), member->mustFollow.begin(), member->mustFollow.end());
            }
            std::sort(ends.begin(), ends.end());
            ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
            for (Block* const member : members) {
                for (const ProgramBuilder::Op end : ends) {
                    if (end != member->last)
                        member->mustFollow.push_back(end);
                }
                ++member->next;
            }
            moved = true;
        }
    }
    for (const Block& block : blocks) {
        if (block.next < block.ops.size())
            m_reading.fail(block.ops[block.next].second, "not all thread blocks come to this barrier");
    }
}

Result<ProgramPtr> Plan::read()
{
    Program header;
    readHeader(header);
    const json& gpus = m_reading.arrayOf(m_root, "gpus", {});
    const auto ranks = static_cast<std::int64_t>(gpus.size());
    if (ranks < 1 || ranks > kMostRanks)
        m_reading.fail("gpus", "there are " + std::to_string(ranks) + " GPUs", "1 to 65536");
    if (!m_reading.good())
        return m_reading.status().error();
    const auto& first = gpus[0];
    std::int64_t input = 0;
    std::int64_t output = 0;
    if (first.is_object()) {
        input = m_reading.integerOf(first, "input_chunks", "gpus[0]", 0, kMostChunks, 0);
        output = m_reading.integerOf(first, "output_chunks", "gpus[0]", 0, kMostChunks, 0);
    }
    const bool gathers = header.op == CollectiveOp::AllGather || header.op == CollectiveOp::Gather;
    const bool scatters = header.op == CollectiveOp::ReduceScatter || header.op == CollectiveOp::Scatter;
    // The larger buffer counts; in place the smaller may be the only one that is given.
    std::int64_t chunks = std::max(input, output);
    if ((gathers && output == 0) || (scatters && input == 0))
        chunks *= ranks;
    const bool shares = gathers || scatters || header.op == CollectiveOp::AllToAll;
    if (chunks < 1 || chunks > kMostChunks || chunks * ranks > (std::int64_t{1} << 28) || (shares && chunks % ranks != 0))
        m_reading.fail("gpus[0]", "the buffers have " + std::to_string(chunks) + " chunks", shares ? "a multiple of the number of GPUs" : "at least 1");
    if (!m_reading.good())
        return m_reading.status().error();

    m_builder.emplace(header.op, static_cast<std::int32_t>(ranks), static_cast<std::int32_t>(chunks));
    Program& to = m_builder->header();
    to.protocol = header.protocol;
    to.inPlace = header.inPlace;
    to.outOfPlace = header.outOfPlace;
    to.minBytes = header.minBytes;
    to.maxBytes = header.maxBytes;
    m_gpus.resize(static_cast<std::size_t>(ranks));
    for (std::int32_t rank = 0; rank < ranks && good(); ++rank)
        readGpu(gpus[static_cast<std::size_t>(rank)], "gpus[" + std::to_string(rank) + ']', rank);
    for (std::int32_t rank = 0; rank < ranks && good(); ++rank)
        readBlocks(gpus[static_cast<std::size_t>(rank)], "gpus[" + std::to_string(rank) + ']', rank);
    if (m_unsupported) // Comes before what it leads to.
        return *m_unsupported;
    if (!m_reading.good())
        return m_reading.status().error();
    ProgramPtr program = m_builder->finish(header.name, m_file);
    if (Status status = checkExplicitBody(*program); !status)
        return std::move(status).error();
    return program;
}

} // namespace

Result<ProgramPtr> parseMscclppPlan(std::string text, const std::string& file)
{
    auto document = parseJson(std::move(text), file);
    if (!document)
        return std::move(document).error();
    const json& root = document.value().root;
    if (!root.is_object() || !root.contains("gpus") || !root.contains("collective"))
        return invalidInput("not an execution plan of MSCCL++", document.value().placeOf("gpus"), "\"collective\" and \"gpus\"");
    return Plan(root, file).read();
}

} // namespace fabricscope
