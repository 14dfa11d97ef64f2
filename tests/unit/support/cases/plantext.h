#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace fabricscope::test {

/// Writes execution plans of MSCCL++ by hand. All thread blocks of a rank have all its channels and remote buffers, so that their numbers are the
/// positions in the lists of the rank.
struct PlanText {
    using json = nlohmann::json;

    // Of their own, because a list of one JSON value is to compilers the value or the list.
    struct Place {
        json value;
    };
    struct Op {
        json value;
    };

    struct Rank {
        int input = 0;
        int output = 0;
        int scratch = 0;
        std::vector<int> memory;                                 ///< Ranks the memory channels lead to.
        std::vector<int> port;
        std::vector<std::pair<std::string, std::vector<int>>> switches; ///< Buffer and ranks.
        std::vector<std::pair<int, std::string>> buffers;        ///< Remote ones: rank and buffer.
        std::vector<int> semaphores;                             ///< First values.
        std::vector<std::vector<Op>> blocks;                   ///< Operations by thread block.
    };
    std::string collective = "allgather";
    std::string protocol = "Simple";
    bool inPlace = false;
    std::vector<Rank> ranks;

    static Place here(const char* buffer, int index, int size = 1) { return {json{{"type", buffer}, {"index", index}, {"size", size}}}; }
    static Place there(int id, int index, int size = 1) { return {json{{"buffer_id", id}, {"index", index}, {"size", size}}}; }
    static Place team(int id, int index, int size = 1) { return {json{{"switch_channel_id", id}, {"index", index}, {"size", size}}}; }
    /// An operation with places; `channel`: its channel_type, where it has one.
    static Op data(const char* name, const std::vector<Place>& sources, const std::vector<Place>& targets, const char* channel = nullptr)
    {
        Op out{json{{"name", name}, {"src_buff", json::array()}, {"dst_buff", json::array()}}};
        for (const Place& place : sources)
            out.value["src_buff"].push_back(place.value);
        for (const Place& place : targets)
            out.value["dst_buff"].push_back(place.value);
        if (channel)
            out.value["channel_type"] = channel;
        return out;
    }
    static Op message(const char* name, const std::vector<int>& channels, const char* channel = "memory")
    {
        return {json{{"name", name}, {"channel_ids", channels}, {"channel_type", channel}}};
    }
    static Op barrier(int id, int blocks) { return {json{{"name", "barrier"}, {"barrier_id", id}, {"num_threadblocks", blocks}}}; }
    static Op semaphore(const char* name, const std::vector<int>& ids) { return {json{{"name", name}, {"semaphore_ids", ids}}}; }
    static Op pipeline(const std::vector<Op>& ops, int unit)
    {
        Op out{json{{"name", "pipeline"}, {"iter_context", {{"unit_size", unit}, {"num_chunks", 1}}}, {"ops", json::array()}}};
        for (const Op& op : ops)
            out.value["ops"].push_back(op.value);
        return out;
    }
    /// The same on channels that are named.
    static Op on(std::vector<int> channels, Op op)
    {
        op.value["channel_ids"] = std::move(channels);
        return op;
    }
    /// The same by thread block `part` of `parts` that share it.
    static Op shared(Op op, int part, int parts)
    {
        op.value["tbg_info"] = {{"tb_id", part}, {"tbg_size", parts}};
        return op;
    }

    json document() const
    {
        json gpus = json::array();
        for (std::size_t id = 0; id < ranks.size(); ++id) {
            const Rank& rank = ranks[id];
            json channels = json::array();
            channels.push_back({{"channel_type", "memory"}, {"connected_to", rank.memory}});
            channels.push_back({{"channel_type", "port"}, {"connected_to", rank.port}});
            for (const auto& [buffer, members] : rank.switches)
                channels.push_back({{"channel_type", "switch"}, {"buffer_type", buffer}, {"rank_groups", json::array({{{"size", members.size()}, {"ranks", members}}})}});
            json buffers = json::array();
            for (const auto& [owner, buffer] : rank.buffers)
                buffers.push_back({{"rank", owner}, {"type", buffer}, {"access_channel_types", {"memory", "port"}}});
            json semaphores = json::array();
            for (const int value : rank.semaphores)
                semaphores.push_back({{"init_value", value}});
            json blocks = json::array();
            for (std::size_t block = 0; block < rank.blocks.size(); ++block) {
                const json own = json::array({{{"channel_type", "memory"}, {"channel_ids", upTo(rank.memory.size())}}, {{"channel_type", "port"}, {"channel_ids", upTo(rank.port.size())}},
                    {{"channel_type", "switch"}, {"channel_ids", upTo(rank.switches.size())}}});
                const json remote = json::array({{{"access_channel_type", "memory"}, {"remote_buffer_ids", upTo(rank.buffers.size())}},
                    {{"access_channel_type", "port"}, {"remote_buffer_ids", upTo(rank.buffers.size())}}});
                json ops = json::array();
                for (const Op& op : rank.blocks[block])
                    ops.push_back(op.value);
                blocks.push_back({{"id", block}, {"ops", ops}, {"channels", own}, {"remote_buffer_refs", remote}});
            }
            gpus.push_back({{"id", id}, {"input_chunks", rank.input}, {"output_chunks", rank.output}, {"scratch_chunks", rank.scratch}, {"threadblocks", blocks}, {"channels", channels},
                {"remote_buffers", buffers}, {"semaphores", semaphores}});
        }
        return {{"name", "hand"}, {"collective", collective}, {"protocol", protocol}, {"inplace", inPlace}, {"reuse_resources", false}, {"gpus", gpus}, {"num_threads_per_block", 1024},
            {"use_double_scratch_buffer", false}, {"buffer_alignment", 16}, {"min_message_size", 0}, {"max_message_size", 18446744073709551615U}};
    }

private:
    static std::vector<int> upTo(std::size_t count)
    {
        std::vector<int> out;
        for (std::size_t i = 0; i < count; ++i)
            out.push_back(static_cast<int>(i));
        return out;
    }
};

} // namespace fabricscope::test
