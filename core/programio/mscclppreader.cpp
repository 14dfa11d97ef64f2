#include "core/programio/mscclppreader.h"

#include "core/base/index.h"
#include "core/programio/mscclnames.h"

#include <algorithm>
#include <numeric>

namespace fabricscope {

namespace {

using nlohmann::json;

constexpr std::int64_t kMostParts = 4096;
constexpr std::int64_t kMostMemory = std::int64_t{1} << 28; ///< Chunks of all ranks.

std::optional<CollectiveOp> collectiveOf(const std::string& name)
{
    return name == "sendrecv" || name == "test" ? CollectiveOp::Custom : mscclCollective(name);
}

/// Two ranks that send each other their inputs.
std::shared_ptr<const Conditions> exchange(const std::vector<PlanGpu>& gpus)
{
    auto out = std::make_shared<Conditions>();
    for (std::int32_t rank = 0; rank < 2; ++rank) {
        const BufferSizes& own = gpus[at(rank)].sizes;
        for (std::int32_t i = 0; i < own.input; ++i)
            out->before.push_back({rank, BufferKind::Input, i, {{rank, i}}});
        for (std::int32_t i = 0; i < std::min(own.output, gpus[at(1 - rank)].sizes.input); ++i)
            out->after.push_back({rank, BufferKind::Output, i, {{1 - rank, i}}});
    }
    return out;
}

} // namespace

/// Keys of a list that nobody knows are named, once each.
void MscclppReader::known(const json& value, const std::string& path, const std::set<std::string>& keys)
{
    for (const auto& item : value.items()) {
        if (!keys.contains(item.key()) && m_unused.size() < 100 && m_unused.insert(item.key()).second)
            say(Severity::Warning, "mscclpp-key", "the key " + quotedText(item.key()) + (path.empty() ? std::string() : " of " + path) + " is not known and not used");
    }
}

void MscclppReader::readHeader()
{
    known(m_root, {}, {"name", "collective", "protocol", "inplace", "reuse_resources", "gpus", "num_threads_per_block", "use_double_scratch_buffer", "buffer_alignment", "min_message_size",
                          "max_message_size", "dynamic", "dynamic_parameters"});
    Program& header = m_plan.header;
    header.name = m_reading.textOf(m_root, "name", {}, {});
    const std::string collective = m_reading.textOf(m_root, "collective", {}, {});
    const auto op = collectiveOf(collective);
    if (!op)
        m_reading.fail("collective", quotedText(collective) + " is no collective", "allreduce, allgather, reducescatter, broadcast, alltoall, sendrecv, test or custom");
    header.op = op.value_or(CollectiveOp::Custom);
    const std::string protocol = m_reading.textOf(m_root, "protocol", {}, "Simple");
    const auto wire = mscclProtocol(protocol);
    if (!wire)
        m_reading.fail("protocol", quotedText(protocol) + " is no protocol", "Simple, LL or LL128");
    header.protocol = wire.value_or(WireProtocol::Simple);
    header.inPlace = m_reading.truthOf(m_root, "inplace", {}, false);
    header.outOfPlace = !header.inPlace;
    header.minBytes = m_reading.integerOf(m_root, "min_message_size", {}, 0, INT64_MAX, 0);
    const auto most = m_root.find("max_message_size"); // 2^64 - 1: no limit.
    const bool limited = most != m_root.end() && !(most->is_number_unsigned() && most->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX));
    header.maxBytes = limited ? m_reading.integer(*most, "max_message_size", 0, INT64_MAX) : 0;
    if (m_root.value("dynamic", json(false)) != json(false) || m_root.contains("dynamic_parameters"))
        unsupported("dynamic", "the plan is a template, whose sizes are filled in while it runs");
}

/// Chunks of the buffers, as the plan counts them.
void MscclppReader::readSizes()
{
    const json& gpus = m_root["gpus"];
    const auto ranks = static_cast<std::int64_t>(gpus.size());
    std::int64_t input = 0;
    std::int64_t output = 0;
    for (std::size_t i = 0; i < gpus.size() && good(); ++i) {
        const std::string path = "gpus[" + std::to_string(i) + ']';
        if (!gpus[i].is_object() || m_reading.integerOf(gpus[i], "id", path, 0, kMostRanks, -1) != static_cast<std::int64_t>(i))
            return m_reading.fail(path + ".id", "the gpus are not numbered in order", std::to_string(i));
        for (const char* key : {"input_chunks", "output_chunks", "scratch_chunks"}) {
            const auto found = gpus[i].find(key);
            if (found != gpus[i].end() && found->is_string())
                return unsupported(path + '.' + key, quotedText(found->get<std::string>()) + " stands for a number: the plan is a template, whose sizes are filled in while it runs");
        }
        for (const char* key : {"inputChunks", "outputChunks", "scratchChunks"}) {
            if (gpus[i].contains(key))
                return unsupported(path + '.' + key, "a plan in the form that MSCCL++ had before 2025, which is not read: write it again with the language of MSCCL++ of 2025 or later, or write the algorithm as MSCCL XML");
        }
        BufferSizes& sizes = m_plan.gpus[i].sizes;
        sizes.input = static_cast<std::int32_t>(m_reading.integerOf(gpus[i], "input_chunks", path, 0, kMostChunks, 0));
        sizes.output = static_cast<std::int32_t>(m_reading.integerOf(gpus[i], "output_chunks", path, 0, kMostChunks, 0));
        sizes.scratch = static_cast<std::int32_t>(m_reading.integerOf(gpus[i], "scratch_chunks", path, 0, kMostChunks, 0));
        input = std::max<std::int64_t>(input, sizes.input);
        output = std::max<std::int64_t>(output, sizes.output);
    }
    const CollectiveOp op = m_plan.header.op;
    const bool gathers = op == CollectiveOp::AllGather || op == CollectiveOp::Gather;
    const bool scatters = op == CollectiveOp::ReduceScatter || op == CollectiveOp::Scatter;
    // The larger buffer counts; in place the smaller may be the only one that is given.
    std::int64_t chunks = std::max(input, output);
    if ((gathers && output == 0) || (scatters && input == 0))
        chunks *= ranks;
    const bool shares = gathers || scatters || op == CollectiveOp::AllToAll;
    if (chunks < 1 || chunks > kMostChunks || chunks * ranks > kMostMemory || (shares && chunks % ranks != 0))
        m_reading.fail("gpus[0]", "the buffers have " + std::to_string(chunks) + " chunks", shares ? "a multiple of the number of GPUs" : "at least 1");
    if (!good())
        return;
    m_plan.chunks = static_cast<std::int32_t>(chunks);
    for (std::size_t i = 0; i < gpus.size() && op != CollectiveOp::Custom && good(); ++i) {
        BufferSizes& sizes = m_plan.gpus[i].sizes;
        const BufferSizes contract = contractSizes(op, static_cast<std::int32_t>(ranks), m_plan.chunks, static_cast<std::int32_t>(i), 0);
        // A buffer of no chunks is one that the plan does not name; in place the one holds the other.
        for (const auto& [key, said, meant] : {std::tuple{"input_chunks", sizes.input, contract.input}, std::tuple{"output_chunks", sizes.output, contract.output}}) {
            const bool rooted = op == CollectiveOp::Broadcast || op == CollectiveOp::Reduce || op == CollectiveOp::Gather || op == CollectiveOp::Scatter;
            if (said != 0 && said != meant && !rooted)
                m_reading.fail("gpus[" + std::to_string(i) + "]." + key, std::to_string(said) + " chunks do not fit the collective and the other buffers", std::to_string(meant));
        }
        sizes.input = contract.input;
        sizes.output = contract.output;
    }
}

void MscclppReader::readChannels(const json& value, const std::string& path, std::int32_t rank)
{
    known(value, path, {"id", "input_chunks", "output_chunks", "scratch_chunks", "threadblocks", "channels", "remote_buffers", "semaphores"});
    Gpu& gpu = m_gpus[at(rank)];
    const auto ranks = static_cast<std::int64_t>(m_gpus.size());
    std::map<std::pair<PlanChannelKind, std::int32_t>, std::int32_t> toPeer;
    std::map<std::int32_t, std::int32_t> ofTeam;
    const json& channels = m_reading.arrayOf(value, "channels", path);
    for (std::size_t i = 0; i < channels.size() && good(); ++i) {
        const std::string at = path + ".channels[" + std::to_string(i) + ']';
        if (!channels[i].is_object())
            return m_reading.fail(at, "not an object");
        // Plans of early 2025 say "type" and "buff".
        const std::string kind = m_reading.textOf(channels[i], channels[i].contains("channel_type") ? "channel_type" : "type", at, {});
        if (kind == "switch") {
            const char* const key = channels[i].contains("buffer_type") ? "buffer_type" : "buff";
            const BufferKind buffer = bufferOf(channels[i].value(key, json()), at + '.' + key);
            const json& groups = m_reading.arrayOf(channels[i], "rank_groups", at);
            for (std::size_t g = 0; g < groups.size() && good(); ++g) {
                const std::string where = at + ".rank_groups[" + std::to_string(g) + "].ranks";
                auto team = m_reading.integers<std::int32_t>(groups[g].is_object() ? groups[g].value("ranks", json()) : json(), where, 0, ranks - 1);
                std::sort(team.begin(), team.end());
                if (!good())
                    return;
                if (!std::binary_search(team.begin(), team.end(), rank) || std::adjacent_find(team.begin(), team.end()) != team.end())
                    return m_reading.fail(where, "not a group of different ranks with this one", "ranks, " + std::to_string(rank) + " among them");
                const auto found = std::find(m_plan.teams.begin(), m_plan.teams.end(), team);
                const auto number = static_cast<std::int32_t>(found - m_plan.teams.begin());
                if (found == m_plan.teams.end())
                    m_plan.teams.push_back(std::move(team));
                gpu.switches.push_back({PlanChannelKind::Switch, number, ofTeam[number]++});
                gpu.switchBuffers.push_back(buffer);
            }
        } else if (kind == "memory" || kind == "port") {
            const PlanChannelKind type = kind == "port" ? PlanChannelKind::Port : PlanChannelKind::Memory;
            for (const std::int32_t peer : m_reading.integers<std::int32_t>(m_reading.arrayOf(channels[i], "connected_to", at), at + ".connected_to", 0, ranks - 1)) {
                if (peer == rank)
                    m_reading.fail(at + ".connected_to", "a channel leads to its own rank");
                (kind == "port" ? gpu.port : gpu.memory).push_back({type, peer, toPeer[{type, peer}]++});
            }
        } else {
            m_reading.fail(at + ".channel_type", quotedText(kind) + " is no channel", "memory, port or switch");
        }
    }
    const json& buffers = m_reading.arrayOf(value, "remote_buffers", path);
    for (std::size_t i = 0; i < buffers.size() && good(); ++i) {
        const std::string at = path + ".remote_buffers[" + std::to_string(i) + ']';
        if (!buffers[i].is_object())
            return m_reading.fail(at, "not an object");
        const auto owner = static_cast<std::int32_t>(m_reading.integerOf(buffers[i], "rank", at, 0, ranks - 1, -1));
        if (good() && (owner < 0 || owner == rank))
            m_reading.fail(at + ".rank", "not the memory of another rank", "a rank other than " + std::to_string(rank));
        gpu.remote.emplace_back(owner, bufferOf(buffers[i].value("type", json()), at + ".type"));
    }
    const json& semaphores = m_reading.arrayOf(value, "semaphores", path);
    for (std::size_t i = 0; i < semaphores.size() && good(); ++i) {
        const std::string at = path + ".semaphores[" + std::to_string(i) + ']';
        if (!semaphores[i].is_object())
            return m_reading.fail(at, "not an object");
        m_plan.gpus[static_cast<std::size_t>(rank)].semaphores.push_back(required(semaphores[i], "init_value", at, 0, INT32_MAX));
    }
}

void MscclppReader::readBlock(const json& value, const std::string& path, std::int32_t rank)
{
    if (!value.is_object())
        return m_reading.fail(path, "not an object");
    known(value, path, {"id", "ops", "channels", "remote_buffer_refs"});
    std::vector<MscclppBlock>& blocks = m_plan.gpus[at(rank)].blocks;
    MscclppBlock to;
    to.id = static_cast<std::int32_t>(m_reading.integerOf(value, "id", path, 0, kMostChunks, static_cast<std::int64_t>(blocks.size())));
    if (std::any_of(blocks.begin(), blocks.end(), [&](const MscclppBlock& other) { return other.id == to.id; }))
        m_reading.fail(path + ".id", "a second thread block has this number");
    Block block;
    block.path = path;
    const auto lists = [&](const char* key, const char* kindKey, const char* idsKey, auto& out) {
        const json& entries = m_reading.arrayOf(value, key, path);
        for (std::size_t i = 0; i < entries.size() && good(); ++i) {
            const std::string at = path + '.' + key + '[' + std::to_string(i) + ']';
            if (!entries[i].is_object())
                return m_reading.fail(at, "not an object");
            const auto ids = m_reading.integers<std::int32_t>(m_reading.arrayOf(entries[i], idsKey, at), at + '.' + idsKey, 0, kMostChunks);
            auto& all = out[m_reading.textOf(entries[i], kindKey, at, {})];
            all.insert(all.end(), ids.begin(), ids.end());
        }
    };
    lists("channels", "channel_type", "channel_ids", block.channels);
    lists("remote_buffer_refs", "access_channel_type", "remote_buffer_ids", block.buffers);
    readOps(to, block, m_reading.arrayOf(value, "ops", path), path + ".ops", rank, -1);
    blocks.push_back(std::move(to));
}

/// Cuts every chunk of the plan into as many as its thread blocks share it in, and gives each operation its own part.
void MscclppReader::cut()
{
    std::int64_t parts = 1;
    for (std::size_t gpu = 0; gpu < m_plan.gpus.size(); ++gpu) {
        const std::vector<MscclppBlock>& blocks = m_plan.gpus[gpu].blocks;
        for (std::size_t block = 0; block < blocks.size() && good(); ++block) {
            for (const PlanOp& op : blocks[block].ops) {
                if (!good())
                    return;
                if (op.shares == 1 || op.sources.empty())
                    continue;
                parts = std::lcm(parts, op.shares / std::gcd<std::int64_t>(op.sources[0].size, op.shares));
                if (parts > kMostParts || parts * m_plan.chunks > kMostChunks || parts * m_plan.chunks * static_cast<std::int64_t>(m_plan.gpus.size()) > kMostMemory)
                    return unsupported(MscclppPlan::path(gpu, block, op), "thread blocks share their operations in so many ways that there are more than " + std::to_string(kMostChunks) + " chunks");
            }
        }
    }
    // All before the first cut: places of one rank lie in the memory of others.
    for (std::size_t gpu = 0; gpu < m_plan.gpus.size(); ++gpu) {
        if (parts * m_plan.gpus[gpu].sizes.scratch > kMostChunks)
            return m_reading.fail("gpus[" + std::to_string(gpu) + "].scratch_chunks", "the scratch memory has more than " + std::to_string(kMostChunks) + " chunks where thread blocks share them");
    }
    const auto factor = static_cast<std::int32_t>(parts);
    m_plan.chunks *= factor;
    for (std::size_t gpu = 0; gpu < m_plan.gpus.size(); ++gpu) {
        BufferSizes& sizes = m_plan.gpus[gpu].sizes;
        sizes = {sizes.input * factor, sizes.output * factor, sizes.scratch * factor};
        for (MscclppBlock& block : m_plan.gpus[gpu].blocks) {
            for (PlanOp& op : block.ops) {
                if (!good())
                    return;
                for (std::vector<PlanPlace>* places : {&op.sources, &op.targets}) {
                    for (PlanPlace& place : *places) {
                        const std::int32_t size = place.size * factor / op.shares;
                        place.index = place.index * factor + op.share * size;
                        place.size = size;
                    }
                }
            }
        }
    }
}

Result<MscclppPlan> MscclppReader::read()
{
    readHeader();
    const json& gpus = m_reading.arrayOf(m_root, "gpus", {});
    const auto ranks = static_cast<std::int64_t>(gpus.size());
    if (ranks < 1 || ranks > kMostRanks)
        m_reading.fail("gpus", "there are " + std::to_string(ranks) + " GPUs", "1 to 65536");
    const auto path = [](std::int32_t rank) { return "gpus[" + std::to_string(rank) + ']'; };
    if (good()) {
        m_plan.gpus.resize(gpus.size());
        m_gpus.resize(gpus.size());
        readSizes();
    }
    for (std::int32_t rank = 0; rank < ranks && good(); ++rank)
        readChannels(gpus[at(rank)], path(rank), rank);
    for (std::int32_t rank = 0; rank < ranks && good(); ++rank) {
        const json& blocks = m_reading.arrayOf(gpus[at(rank)], "threadblocks", path(rank));
        if (static_cast<std::int64_t>(blocks.size()) > kMostBlocks)
            m_reading.fail(path(rank) + ".threadblocks", "there are " + std::to_string(blocks.size()) + " thread blocks", "at most " + std::to_string(kMostBlocks));
        for (std::size_t i = 0; i < blocks.size() && good(); ++i)
            readBlock(blocks[i], path(rank) + ".threadblocks[" + std::to_string(i) + ']', rank);
    }
    if (good())
        cut();
    if (m_unsupported) // Comes before what it leads to.
        return *m_unsupported;
    if (!m_reading.good())
        return m_reading.status().error();
    if (m_root.value("collective", json()) == "sendrecv" && ranks == 2)
        m_plan.header.conditions = exchange(m_plan.gpus);
    if (m_packets) {
        say(Severity::Warning, "mscclpp-packets", "the plan sends packets, in which a flag stands beside every word: the times count the bytes of data alone, unless network.protocols of the design says LL");
        m_plan.header.protocol = WireProtocol::LL;
    }
    if (m_largestSlice > 0)
        say(Severity::Warning, "mscclpp-pipeline", "the pipelines of the plan are taken as one slice: exact while a chunk has at most " + std::to_string(m_largestSlice) + " bytes, above that slices would overlap");
    if (m_reads)
        say(Severity::Note, "mscclpp-reads", "a read of the memory of another rank is taken as a request of 8 bytes and the data that come back");
    return std::move(m_plan);
}

std::string MscclppPlan::path(std::size_t gpu, std::size_t block, const PlanOp& op)
{
    std::string out = "gpus[" + std::to_string(gpu) + "].threadblocks[" + std::to_string(block) + "].ops[" + std::to_string(op.number) + ']';
    return op.inner < 0 ? out : out + ".ops[" + std::to_string(op.inner) + ']';
}

Result<MscclppPlan> readMscclppPlan(const json& root, const std::string& file, const std::stop_token& stop)
{
    return MscclppReader(root, file, stop).read();
}

} // namespace fabricscope
