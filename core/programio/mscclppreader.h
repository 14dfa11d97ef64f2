#pragma once

#include "core/base/showntext.h"
#include "core/programio/jsonreading.h"
#include "core/programio/mscclppplan.h"

#include <map>
#include <set>

namespace fabricscope {

/// Reads a document into a MscclppPlan; what it gives is a default after the first thing that is wrong. Operations: mscclppops.cpp.
class MscclppReader {
public:
    MscclppReader(const nlohmann::json& root, const std::string& file, const std::stop_token& stop)
        : m_root(root)
        , m_reading(file, stop)
    {
        m_plan.file = file;
    }

    Result<MscclppPlan> read();

private:
    /// Channels and remote buffers of a GPU by their numbers.
    struct Gpu {
        std::vector<PlanChannel> memory;
        std::vector<PlanChannel> port;
        std::vector<PlanChannel> switches;
        std::vector<BufferKind> switchBuffers;
        std::vector<std::pair<std::int32_t, BufferKind>> remote;
    };
    /// Those a thread block has, by its own numbers.
    struct Block {
        std::string path;
        std::map<std::string, std::vector<std::int32_t>> channels; ///< By kind.
        std::map<std::string, std::vector<std::int32_t>> buffers;
    };

    void readHeader();
    void readSizes();
    void readChannels(const nlohmann::json& value, const std::string& path, std::int32_t rank);
    void readBlock(const nlohmann::json& value, const std::string& path, std::int32_t rank);
    void readOps(MscclppBlock& to, const Block& block, const nlohmann::json& ops, const std::string& path, std::int32_t rank, std::int32_t pipeline);
    void readOp(MscclppBlock& to, const Block& block, const nlohmann::json& value, const std::string& path, std::int32_t rank, PlanOp op);
    void readPlaces(std::vector<PlanPlace>& to, const Block& block, const nlohmann::json& op, const char* key, const std::string& path, std::int32_t rank);
    void readSwitchPlaces(PlanOp& op, const Block& block, const nlohmann::json& value, const std::string& path, std::int32_t rank);
    void readShare(PlanOp& op, const nlohmann::json& value, const std::string& path);
    void readReduction(const nlohmann::json& value, const std::string& path);
    PlanPlace place(const Block& block, const nlohmann::json& value, const std::string& kind, const std::string& path, std::int32_t rank);
    std::optional<PlanChannel> channel(const Block& block, const std::string& kind, std::int64_t number, const std::string& path, std::int32_t rank);
    void checkShape(const PlanOp& op, const std::string& name, bool readsRemote, bool writesRemote, const std::string& path);
    void checkPackets(const PlanOp& op, const std::string& path);
    void cut();
    static constexpr std::int64_t kMostRanks = 1 << 16;
    static constexpr std::int64_t kMostChunks = 1 << 20;
    static constexpr std::int64_t kMostBlocks = 4096; ///< Of a GPU; the executor runs all at once.

    void say(Severity severity, const char* rule, std::string message)
    {
        Diagnostic out{severity, rule, std::move(message), {}, {}};
        out.place.file = m_plan.file;
        m_plan.notes.push_back(std::move(out));
    }
    /// A number that must be there; what stands for a missing one would change what the plan does.
    std::int32_t required(const nlohmann::json& value, const char* key, const std::string& path, std::int64_t least, std::int64_t most)
    {
        const auto found = value.find(key);
        if (found == value.end()) {
            m_reading.fail(path + '.' + key, "the key is missing", "a whole number");
            return static_cast<std::int32_t>(least);
        }
        return static_cast<std::int32_t>(m_reading.integer(*found, path + '.' + key, least, most));
    }
    void known(const nlohmann::json& value, const std::string& path, const std::set<std::string>& keys);

    BufferKind bufferOf(const nlohmann::json& value, const std::string& path)
    {
        const std::string letter = value.is_string() ? value.get<std::string>() : std::string();
        if (letter != "i" && letter != "o" && letter != "s")
            m_reading.fail(path, "no buffer", "i, o or s");
        return letter == "i" ? BufferKind::Input : letter == "o" ? BufferKind::Output : BufferKind::Scratch;
    }
    void unsupported(const std::string& path, const std::string& what)
    {
        if (m_unsupported || !m_reading.good())
            return;
        Place place;
        place.file = m_plan.file;
        place.field = path;
        m_unsupported = Error{ErrorCode::Unsupported, what, std::move(place), {}};
    }
    /// Asked by every loop, as it also looks whether to stop.
    bool good() const { return m_reading.good() && !m_unsupported; }

    const nlohmann::json& m_root;
    JsonReading m_reading;
    std::optional<Error> m_unsupported;
    MscclppPlan m_plan;
    std::vector<Gpu> m_gpus;
    std::string m_reduction; ///< "sum", "min" or "max", once said.
    std::int64_t m_largestSlice = 0; ///< Bytes of a slice of a pipeline; 0: none is there.
    bool m_packets = false;
    bool m_reads = false;
    std::set<std::string> m_unused;
};

} // namespace fabricscope
