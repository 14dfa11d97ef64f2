#include "core/base/index.h"
#include "core/programio/mscclppreader.h"

#include "core/base/showntext.h"

#include <algorithm>

namespace fabricscope {

namespace {

using nlohmann::json;

/// What an operation is called, and what it does.
struct Name {
    const char* name;
    PlanVerb verb;
    bool takesPackets = false;
    bool givesPackets = false;
    bool keepsPackets = false;
    bool signals = false;
    bool readsRemote = false;  ///< Some source may be of another rank.
    bool writesRemote = false;
};

constexpr Name kNames[] = {
    {.name = "put", .verb = PlanVerb::Put, .writesRemote = true},
    {.name = "pws", .verb = PlanVerb::Put, .signals = true, .writesRemote = true},
    {.name = "pwsf", .verb = PlanVerb::Put, .signals = true, .writesRemote = true},
    {.name = "ppkt", .verb = PlanVerb::Put, .givesPackets = true, .writesRemote = true},
    {.name = "rppkt", .verb = PlanVerb::Put, .takesPackets = true, .givesPackets = true, .writesRemote = true},
    {.name = "get", .verb = PlanVerb::Get, .readsRemote = true},
    {.name = "copy", .verb = PlanVerb::Copy},
    {.name = "cpkt", .verb = PlanVerb::Copy, .givesPackets = true},
    {.name = "tpkt", .verb = PlanVerb::Copy, .givesPackets = true},
    {.name = "upkt", .verb = PlanVerb::Copy, .takesPackets = true},
    {.name = "re", .verb = PlanVerb::Reduce},
    {.name = "res", .verb = PlanVerb::Reduce, .writesRemote = true},
    {.name = "rre", .verb = PlanVerb::Reduce, .readsRemote = true},
    {.name = "rres", .verb = PlanVerb::Reduce, .readsRemote = true, .writesRemote = true},
    {.name = "repkt", .verb = PlanVerb::Reduce, .takesPackets = true},
    {.name = "respkt", .verb = PlanVerb::Reduce, .takesPackets = true, .givesPackets = true, .writesRemote = true},
    {.name = "recpkt", .verb = PlanVerb::Reduce, .takesPackets = true, .keepsPackets = true},
    {.name = "recspkt", .verb = PlanVerb::Reduce, .takesPackets = true, .givesPackets = true, .keepsPackets = true, .writesRemote = true},
    {.name = "glre", .verb = PlanVerb::SwitchReduce},
    {.name = "gstore", .verb = PlanVerb::SwitchStore},
    {.name = "gstorepkt", .verb = PlanVerb::SwitchStore, .givesPackets = true},
    {.name = "glres", .verb = PlanVerb::SwitchBoth},
    {.name = "signal", .verb = PlanVerb::Signal},
    {.name = "rlxsignal", .verb = PlanVerb::Signal},
    {.name = "wait", .verb = PlanVerb::Wait},
    {.name = "rlxwait", .verb = PlanVerb::Wait},
    {.name = "barrier", .verb = PlanVerb::Barrier},
    {.name = "sem_acquire", .verb = PlanVerb::Acquire},
    {.name = "sem_release", .verb = PlanVerb::Release},
};

const Name* nameOf(const std::string& text)
{
    const auto found = std::find_if(std::begin(kNames), std::end(kNames), [&](const Name& name) { return text == name.name; });
    return found == std::end(kNames) ? nullptr : &*found;
}

bool isData(PlanVerb verb)
{
    return verb < PlanVerb::Signal;
}

} // namespace

std::optional<PlanChannel> MscclppReader::channel(const Block& block, const std::string& kind, std::int64_t number, const std::string& path, std::int32_t rank)
{
    const auto own = block.channels.find(kind);
    if (own == block.channels.end() || number < 0 || number >= static_cast<std::int64_t>(own->second.size())) {
        m_reading.fail(path, "the thread block has no " + (kind.empty() ? std::string() : shownText(kind, kQuotedCharacters) + ' ') + "channel " + std::to_string(number) + " in its channels");
        return {};
    }
    const std::int32_t id = own->second[at(number)];
    const Gpu& gpu = m_gpus[at(rank)];
    const std::vector<PlanChannel>& all = kind == "port" ? gpu.port : kind == "switch" ? gpu.switches : gpu.memory;
    if (static_cast<std::size_t>(id) >= all.size()) {
        m_reading.fail(path, "there is no " + kind + " channel " + std::to_string(id));
        return {};
    }
    return all[at(id)];
}

PlanPlace MscclppReader::place(const Block& block, const json& value, const std::string& kind, const std::string& path, std::int32_t rank)
{
    PlanPlace out;
    out.rank = rank;
    if (!value.is_object()) {
        m_reading.fail(path, "not an object");
        return out;
    }
    static const std::set<std::string> keys{"type", "index", "size", "buffer_id", "switch_channel_id", "rank"};
    for (const auto& item : value.items()) {
        if (!keys.contains(item.key()))
            unsupported(path + '.' + shownText(item.key(), kQuotedCharacters), "what this key of a place means is not known");
    }
    out.index = required(value, "index", path, 0, kMostChunks);
    out.size = required(value, "size", path, 1, kMostChunks);
    const Gpu& gpu = m_gpus[at(rank)];
    if (value.contains("switch_channel_id")) {
        out.where = PlanPlace::Where::Switch;
        const auto number = m_reading.integer(value["switch_channel_id"], path + ".switch_channel_id", 0, kMostChunks);
        if (const auto found = channel(block, "switch", number, path + ".switch_channel_id", rank)) {
            out.team = found->peer;
            out.buffer = gpu.switchBuffers[at(std::find(gpu.switches.begin(), gpu.switches.end(), *found) - gpu.switches.begin())];
        }
    } else if (value.contains("buffer_id")) {
        out.where = PlanPlace::Where::Remote;
        const auto number = m_reading.integer(value["buffer_id"], path + ".buffer_id", 0, kMostChunks);
        const auto own = block.buffers.find(kind.empty() ? "memory" : kind);
        if (own == block.buffers.end() || static_cast<std::size_t>(number) >= own->second.size())
            m_reading.fail(path + ".buffer_id", "the thread block has no remote buffer " + std::to_string(number) + " in its remote_buffer_refs");
        else if (const auto id = static_cast<std::size_t>(own->second[at(number)]); id >= gpu.remote.size())
            m_reading.fail(path + ".buffer_id", "there is no remote buffer " + std::to_string(id));
        else
            std::tie(out.rank, out.buffer) = gpu.remote[id];
    } else {
        out.buffer = bufferOf(value.value("type", json()), path + ".type");
        if (m_reading.integerOf(value, "rank", path, 0, kMostRanks, rank) != rank)
            m_reading.fail(path + ".rank", "a local place of another rank", std::to_string(rank));
    }
    if (!good())
        return out;
    std::vector<std::int32_t> owners{out.rank};
    if (out.where == PlanPlace::Where::Switch)
        owners = m_plan.teams[at(out.team)];
    for (const std::int32_t owner : owners) {
        const BufferSizes& sizes = m_plan.gpus[at(owner)].sizes;
        const std::int32_t size = out.buffer == BufferKind::Input ? sizes.input : out.buffer == BufferKind::Output ? sizes.output : sizes.scratch;
        if (std::int64_t{out.index} + out.size > size)
            m_reading.fail(path, "chunks " + std::to_string(out.index) + " to " + std::to_string(std::int64_t{out.index} + out.size - 1) + " of a buffer of rank " + std::to_string(owner)
                               + " that has " + std::to_string(size));
    }
    return out;
}

void MscclppReader::readPlaces(std::vector<PlanPlace>& to, const Block& block, const json& op, const char* key, const std::string& path, std::int32_t rank)
{
    const std::string kind = m_reading.textOf(op, "channel_type", path, {});
    const json& list = m_reading.arrayOf(op, key, path);
    for (std::size_t i = 0; i < list.size() && good(); ++i)
        to.push_back(place(block, list[i], kind, path + '.' + key + '[' + std::to_string(i) + ']', rank));
}

/// The form in which a place in a team is told by buffer_type and buffer_offset, and the local one by src_chunk or dst_chunk.
void MscclppReader::readSwitchPlaces(PlanOp& op, const Block& block, const json& value, const std::string& path, std::int32_t rank)
{
    const json& ids = m_reading.arrayOf(value, "channel_ids", path);
    if (ids.size() != 1)
        return m_reading.fail(path + ".channel_ids", "not one switch channel");
    const json team = {{"switch_channel_id", ids[0]}, {"index", required(value, "buffer_offset", path, 0, kMostChunks)}, {"size", required(value, "size", path, 1, kMostChunks)}};
    const PlanPlace many = place(block, team, "switch", path, rank);
    const char* const key = op.verb == PlanVerb::SwitchReduce ? "dst_chunk" : "src_chunk";
    const PlanPlace one = place(block, value.value(key, json()), {}, path + '.' + key, rank);
    if (good() && bufferOf(value["buffer_type"], path + ".buffer_type") != many.buffer)
        m_reading.fail(path + ".buffer_type", "not the buffer of the switch channel");
    (op.verb == PlanVerb::SwitchReduce ? op.sources : op.targets).push_back(many);
    (op.verb == PlanVerb::SwitchReduce ? op.targets : op.sources).push_back(one);
}

void MscclppReader::readShare(PlanOp& op, const json& value, const std::string& path)
{
    const char* const key = value.contains("tbg_info") ? "tbg_info" : "tbg";
    const auto found = value.find(key);
    if (found == value.end())
        return;
    if (!found->is_object())
        return m_reading.fail(path + '.' + key, "not an object");
    op.shares = required(*found, "tbg_size", path + '.' + key, 1, kMostBlocks);
    op.share = required(*found, "tb_id", path + '.' + key, 0, op.shares - 1);
}

void MscclppReader::readReduction(const json& value, const std::string& path)
{
    const std::string reduction = m_reading.textOf(value, "reduce_op", path, "sum");
    if (reduction != "sum" && reduction != "min" && reduction != "max")
        return m_reading.fail(path + ".reduce_op", quotedText(reduction) + " is no reduction", "sum, min or max");
    if (m_reduction.empty())
        m_reduction = reduction;
    if (m_reduction != reduction)
        unsupported(path + ".reduce_op", "a plan with two reductions, " + m_reduction + " and " + reduction + ", is not supported");
}

/// Are the places of the kinds and sizes the operation takes?
void MscclppReader::checkShape(const PlanOp& op, const std::string& name, bool readsRemote, bool writesRemote, const std::string& path)
{
    using Where = PlanPlace::Where;
    const auto all = [](const std::vector<PlanPlace>& places, std::size_t from, Where where) {
        return std::all_of(places.begin() + static_cast<std::ptrdiff_t>(std::min(from, places.size())), places.end(), [where](const PlanPlace& place) { return place.where == where; });
    };
    if (op.sources.empty() || op.targets.empty())
        return m_reading.fail(path, "no source or no target");
    bool fits = true;
    switch (op.verb) {
    case PlanVerb::Put:
        fits = all(op.sources, 0, Where::Local) && all(op.targets, 0, Where::Remote) && (op.sources.size() == 1 || op.sources.size() == op.targets.size());
        break;
    case PlanVerb::Get:
        fits = all(op.sources, 0, Where::Remote) && all(op.targets, 0, Where::Local) && op.sources.size() == op.targets.size();
        break;
    case PlanVerb::Copy:
        fits = all(op.sources, 0, Where::Local) && all(op.targets, 0, Where::Local) && op.sources.size() == op.targets.size();
        break;
    case PlanVerb::Reduce: {
        const std::size_t own = op.keepsPackets ? 2 : 1;
        fits = op.sources[0].where == Where::Local && (readsRemote || all(op.sources, 0, Where::Local))
            && std::none_of(op.sources.begin(), op.sources.end(), [](const PlanPlace& place) { return place.where == Where::Switch; }) && op.targets.size() >= own
            && std::all_of(op.targets.begin(), op.targets.begin() + static_cast<std::ptrdiff_t>(own), [](const PlanPlace& place) { return place.where == Where::Local; })
            && (writesRemote ? all(op.targets, own, Where::Remote) : op.targets.size() == own);
        break;
    }
    case PlanVerb::SwitchReduce:
        fits = all(op.sources, 0, Where::Switch) && all(op.targets, 0, Where::Local) && op.sources.size() == op.targets.size();
        break;
    case PlanVerb::SwitchStore:
        fits = all(op.sources, 0, Where::Local) && all(op.targets, 0, Where::Switch) && op.sources.size() == op.targets.size();
        break;
    default:
        fits = all(op.sources, 0, Where::Switch) && all(op.targets, 0, Where::Switch) && op.sources.size() == op.targets.size();
    }
    if (!fits)
        return m_reading.fail(path, "the sources and targets are not those of " + quotedText(name));
    for (const std::vector<PlanPlace>* places : {&op.sources, &op.targets}) {
        for (const PlanPlace& place : *places) {
            if (place.size != op.sources[0].size)
                return m_reading.fail(path, "the sources and targets have different sizes");
        }
    }
    for (std::size_t i = 0; i < op.channels.size() && op.verb == PlanVerb::Put; ++i) {
        if (op.channels.size() != op.targets.size() || op.channels[i].peer != op.targets[i].rank)
            return m_reading.fail(path + ".channel_ids", "not one channel for every target, to the rank of the target");
    }
    if (op.verb == PlanVerb::Put && op.signals && op.channels.empty())
        m_reading.fail(path + ".channel_ids", "no channel to signal on");
}

/// Packets lie in scratch memory.
void MscclppReader::checkPackets(const PlanOp& op, const std::string& path)
{
    const auto inScratch = [&](const std::vector<PlanPlace>& places) { // Of a Reduce those behind the first.
        return std::all_of(places.begin() + (op.verb == PlanVerb::Reduce ? 1 : 0), places.end(), [](const PlanPlace& place) { return place.buffer == BufferKind::Scratch; });
    };
    if ((op.takesPackets && !inScratch(op.sources)) || ((op.givesPackets || op.keepsPackets) && !inScratch(op.targets)))
        m_reading.fail(path, "packets outside the scratch memory");
}

void MscclppReader::readOp(MscclppBlock& to, const Block& block, const json& value, const std::string& path, std::int32_t rank, PlanOp op)
{
    const std::string text = m_reading.textOf(value, "name", path, {});
    if (text == "nop" || text == "flush")
        return;
    const Name* const name = nameOf(text);
    if (!name)
        return m_reading.fail(path + ".name", quotedText(text) + " is no operation");
    for (const auto& item : value.items()) {
        static const std::set<std::string> keys{"name", "src_buff", "dst_buff", "channel_ids", "channel_type", "tbg_info", "tbg", "reduce_op", "semaphore_ids", "barrier_id", "num_threadblocks",
            "buffer_type", "buffer_offset", "size", "src_chunk", "dst_chunk"};
        if (!keys.contains(item.key()))
            unsupported(path + '.' + shownText(item.key(), kQuotedCharacters), "what this key of an operation means is not known");
    }
    op.verb = name->verb;
    op.takesPackets = name->takesPackets;
    op.givesPackets = name->givesPackets;
    op.keepsPackets = name->keepsPackets;
    op.signals = name->signals;
    if (op.verb == PlanVerb::Barrier) {
        op.barrier = required(value, "barrier_id", path, 0, kMostChunks);
        op.members = required(value, "num_threadblocks", path, 1, kMostBlocks);
    } else if (op.verb == PlanVerb::Acquire || op.verb == PlanVerb::Release) {
        const auto count = static_cast<std::int64_t>(m_plan.gpus[at(rank)].semaphores.size());
        op.semaphores = m_reading.integers<std::int32_t>(value.value("semaphore_ids", json()), path + ".semaphore_ids", 0, count - 1);
    } else {
        const std::string kind = m_reading.textOf(value, "channel_type", path, {});
        const bool onSwitch = op.verb == PlanVerb::SwitchReduce || op.verb == PlanVerb::SwitchStore;
        if (onSwitch && value.contains("buffer_type")) {
            readSwitchPlaces(op, block, value, path, rank);
        } else if (isData(op.verb)) {
            readPlaces(op.sources, block, value, "src_buff", path, rank);
            readPlaces(op.targets, block, value, "dst_buff", path, rank);
        }
        if (!isData(op.verb) || op.verb == PlanVerb::Put) {
            const json& ids = m_reading.arrayOf(value, "channel_ids", path);
            for (std::size_t i = 0; i < ids.size() && good(); ++i) {
                const auto number = m_reading.integer(ids[i], path + ".channel_ids", 0, kMostChunks);
                if (const auto found = good() ? channel(block, kind, number, path + ".channel_ids", rank) : std::optional<PlanChannel>())
                    op.channels.push_back(*found);
            }
            if (good() && op.channels.empty() && (!isData(op.verb) || kind == "port"))
                m_reading.fail(path + ".channel_ids", "no channel");
        }
        readShare(op, value, path);
        if (op.verb == PlanVerb::Reduce || op.verb == PlanVerb::SwitchReduce || op.verb == PlanVerb::SwitchBoth)
            readReduction(value, path);
        // Plans of early 2025 called the way out of the packets so.
        if (good() && text == "cpkt" && !op.sources.empty() && !op.targets.empty() && op.sources[0].buffer == BufferKind::Scratch && op.targets[0].buffer != BufferKind::Scratch)
            std::swap(op.takesPackets, op.givesPackets);
        if (good() && isData(op.verb))
            checkShape(op, text, name->readsRemote, name->writesRemote, path);
        if (good() && isData(op.verb))
            checkPackets(op, path);
        m_packets = m_packets || op.takesPackets || op.givesPackets || op.keepsPackets;
        m_reads = m_reads || name->readsRemote;
    }
    to.ops.push_back(std::move(op));
}

void MscclppReader::readOps(MscclppBlock& to, const Block& block, const json& ops, const std::string& path, std::int32_t rank, std::int32_t pipeline)
{
    for (std::size_t i = 0; i < ops.size() && good(); ++i) {
        const std::string at = path + '[' + std::to_string(i) + ']';
        if (!ops[i].is_object())
            return m_reading.fail(at, "not an object");
        PlanOp op;
        op.number = pipeline >= 0 ? pipeline : static_cast<std::int32_t>(i);
        op.inner = pipeline >= 0 ? static_cast<std::int32_t>(i) : -1;
        if (m_reading.textOf(ops[i], "name", at, {}) != "pipeline") {
            readOp(to, block, ops[i], at, rank, std::move(op));
            continue;
        }
        if (pipeline >= 0)
            return m_reading.fail(at, "a pipeline inside a pipeline, which MSCCL++ does not run");
        const json context = ops[i].value("iter_context", json());
        if (!context.is_object())
            return m_reading.fail(at + ".iter_context", "not an object", "unit_size and num_chunks");
        if (!context.contains("unit_size"))
            return m_reading.fail(at + ".iter_context.unit_size", "the key is missing", "bytes");
        m_largestSlice = std::max(m_largestSlice, m_reading.integerOf(context, "unit_size", at + ".iter_context", 1, INT64_MAX, 1));
        readOps(to, block, m_reading.arrayOf(ops[i], "ops", at), at + ".ops", rank, static_cast<std::int32_t>(i));
    }
}

} // namespace fabricscope
