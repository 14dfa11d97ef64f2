#include "core/workload/layertable.h"

#include "core/base/showntext.h"
#include "core/base/stop.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostLayerNumber = std::int64_t{1} << 45; ///< ns (9 hours) and bytes (32 TiB): sums over all rows stay below 2^63.
constexpr std::int64_t kMostLayerRanks = std::int64_t{1} << 24;
constexpr std::int64_t kMostLayerRounds = 1'000'000;

/// Who takes part in collectives of which column where no suffix says it.
struct PolicyRow {
    std::string_view word;
    std::array<LayerGroup, 3> groups;
};

constexpr LayerGroup kAll = LayerGroup::All;
constexpr LayerGroup kTensor = LayerGroup::Tensor;
constexpr LayerGroup kData = LayerGroup::Data;
constexpr PolicyRow kPolicies[] = {{"MICRO", {kAll, kAll, kAll}}, {"DATA", {kAll, kAll, kAll}}, {"MODEL", {kAll, kAll, kAll}}, {"HYBRID_TRANSFORMER", {kTensor, kTensor, kData}},
    {"HYBRID_TRANSFORMER_FWD_IN_BCKWD", {kTensor, kTensor, kData}}, {"HYBRID_DATA_MODEL", {kTensor, kTensor, kData}}, {"HYBRID_MODEL_DATA", {kTensor, kTensor, kData}}};

/// Words between blanks.
std::vector<std::string_view> wordsOf(std::string_view line)
{
    std::vector<std::string_view> words;
    constexpr std::string_view kBlank = " \t\r";
    for (std::size_t at = line.find_first_not_of(kBlank); at != std::string_view::npos; at = line.find_first_not_of(kBlank, at)) {
        const std::size_t end = std::min(line.find_first_of(kBlank, at), line.size());
        words.push_back(line.substr(at, end - at));
        at = end;
    }
    return words;
}

/// "25165824" and, as some writers have it, "25165824.0".
std::optional<std::int64_t> wholeOf(std::string_view word)
{
    if (const std::size_t dot = word.find('.'); dot != std::string_view::npos && word.find_first_not_of('0', dot + 1) == std::string_view::npos)
        word = word.substr(0, dot);
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    return problem == std::errc{} && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

const PolicyRow* policyOf(std::string_view word)
{
    const auto found = std::ranges::find(kPolicies, word, &PolicyRow::word);
    return found == std::end(kPolicies) ? nullptr : found;
}

class TableReader {
public:
    TableReader(std::string_view text, const std::string& file, Diagnostics& diagnostics, const std::stop_token& stop) : m_text(text), m_file(file), m_diagnostics(diagnostics), m_stop(stop) {}

    Result<LayerTable> read()
    {
        std::string_view line;
        if (!next(line))
            return invalidInput("the table is empty", placeOf(), "a policy, a number of rows, rows of 12 columns");
        if (Status status = head(line); !status)
            return status.error();
        if (!next(line))
            return invalidInput("the number of rows is missing", placeOf(), "a number on line 2");
        const std::vector<std::string_view> count = wordsOf(line);
        const auto said = count.empty() ? std::nullopt : wholeOf(count.front());
        if (!said)
            return invalidInput("the number of rows cannot be read", placeOf(), "a number on line 2");
        while (next(line)) {
            checkStop(m_stop);
            if (wordsOf(line).empty())
                continue;
            if (Status status = row(line); !status)
                return status.error();
        }
        if (m_table.rows.empty())
            return invalidInput("the table has no rows", placeOf(), "rows of 12 columns");
        if (*said != static_cast<std::int64_t>(m_table.rows.size())) {
            Place place;
            place.file = m_file;
            place.line = 2;
            m_diagnostics.push_back(warning("layer-count", "line 2 says " + std::to_string(*said) + " rows, there are " + std::to_string(m_table.rows.size()) + ": all of them are read", place));
        }
        return std::move(m_table);
    }

private:
    Place placeOf(int column = 0) const
    {
        Place place;
        place.file = m_file;
        place.line = m_line;
        place.column = column;
        return place;
    }

    bool next(std::string_view& line)
    {
        if (m_at >= m_text.size())
            return false;
        const std::size_t end = std::min(m_text.find('\n', m_at), m_text.size());
        line = m_text.substr(m_at, end - m_at);
        m_at = end + 1;
        ++m_line;
        return true;
    }

    Status head(std::string_view line)
    {
        const std::vector<std::string_view> words = wordsOf(line);
        m_policy = words.empty() ? nullptr : policyOf(words.front());
        if (!m_policy) {
            std::string known;
            for (const PolicyRow& policy : kPolicies)
                known += (known.empty() ? "one of " : ", ") + std::string(policy.word);
            return Error{ErrorCode::Unsupported, "policy " + fabricscope::shownText(words.empty() ? std::string_view() : std::string_view(words.front()), 60) + " is not read", placeOf(1), known};
        }
        m_table.policy = words.front();
        for (std::size_t i = 1; i < words.size(); ++i) {
            const std::string_view key = words[i].substr(0, words[i].find(':'));
            std::int64_t* const value = valueOf(key);
            if (!value) { // "checkpoints: 2 2 11": a list of its own length.
                if (!wholeOf(key) && key != "vpp" && key != "checkpoints" && key != "checkpoint_initiates")
                    m_diagnostics.push_back(warning("layer-key", "key " + fabricscope::shownText(key, 60) + " is not known and not used", placeOf()));
                continue;
            }
            const std::string_view glued = words[i].size() > key.size() + 1 ? words[i].substr(key.size() + 1) : std::string_view();
            const auto number = !glued.empty() ? wholeOf(glued) : i + 1 < words.size() ? wholeOf(words[++i]) : std::nullopt;
            const std::int64_t most = value == &m_table.sendBytes ? kMostLayerNumber : value == &m_table.rounds ? kMostLayerRounds : kMostLayerRanks;
            if (!number || *number < (value == &m_table.sendBytes ? 0 : 1) || *number > most)
                return invalidInput(std::string(key) + " has no number that is possible", placeOf(), "1 to " + std::to_string(most));
            *value = *number;
        }
        return {};
    }

    std::int64_t* valueOf(std::string_view key)
    {
        const std::pair<std::string_view, std::int64_t*> keys[] = {{"model_parallel_NPU_group", &m_table.tensor}, {"ep", &m_table.expert}, {"pp", &m_table.pipeline}, {"ga", &m_table.rounds},
            {"all_gpus", &m_table.ranks}, {"pp_comm", &m_table.sendBytes}};
        const auto found = std::ranges::find(keys, key, &std::pair<std::string_view, std::int64_t*>::first);
        return found == std::end(keys) ? nullptr : found->second;
    }

    Status row(std::string_view line)
    {
        const std::vector<std::string_view> words = wordsOf(line);
        if (words.size() != 12)
            return invalidInput("the row has " + std::to_string(words.size()) + " columns", placeOf(), "12: name, -1, and time, collective, bytes of forward, input gradient and weight gradient, update time");
        if (static_cast<std::int64_t>(m_table.rows.size()) >= kMostLayerRows)
            return invalidInput("the table has too many rows", placeOf(), "at most " + std::to_string(kMostLayerRows));
        LayerRow made;
        made.name = words[0];
        made.place = placeOf();
        for (std::size_t pass = 0; pass < 3; ++pass) {
            if (Status status = column(words, 2 + 3 * pass, pass, made.passes[pass]); !status)
                return status;
        }
        if (Status status = number(words, 11, made.updateNs); !status)
            return status;
        m_table.rows.push_back(std::move(made));
        return {};
    }

    Status number(const std::vector<std::string_view>& words, std::size_t at, std::int64_t& value) const
    {
        const auto read = wholeOf(words[at]);
        if (!read || *read < 0 || *read > kMostLayerNumber)
            return invalidInput("column " + std::to_string(at + 1) + " is " + fabricscope::shownText(words[at], 40), placeOf(), "a number from 0 to 2^45");
        value = *read;
        return {};
    }

    Status column(const std::vector<std::string_view>& words, std::size_t at, std::size_t pass, LayerPass& made)
    {
        static constexpr std::pair<std::string_view, LayerCollective> kWords[] = {{"NONE", LayerCollective::None}, {"ALLREDUCE", LayerCollective::AllReduce}, {"ALLGATHER", LayerCollective::AllGather},
            {"REDUCESCATTER", LayerCollective::ReduceScatter}, {"ALLTOALL", LayerCollective::AllToAll}};
        if (Status status = number(words, at, made.ns); !status)
            return status;
        if (Status status = number(words, at + 2, made.bytes); !status)
            return status;
        std::string_view word = words[at + 1];
        made.group = m_policy->groups[pass];
        if (word.ends_with("_DP_EP")) {
            made.group = LayerGroup::DataExpert;
            word.remove_suffix(6);
        } else if (word.ends_with("_EP")) {
            made.group = LayerGroup::Expert;
            word.remove_suffix(3);
        }
        if (word == "BROADCAST" || word == "ALLREDUCEALLTOALL") {
            m_diagnostics.push_back(warning("layer-collective", "collective " + std::string(words[at + 1]) + " is skipped, as in the reference", placeOf()));
            made.bytes = 0;
            return {};
        }
        const auto found = std::ranges::find(kWords, word, &std::pair<std::string_view, LayerCollective>::first);
        if (found == std::end(kWords))
            return invalidInput("column " + std::to_string(at + 2) + " is " + fabricscope::shownText(words[at + 1], 40), placeOf(), "NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER or ALLTOALL, with or without _EP or _DP_EP");
        made.collective = found->second;
        if (made.collective == LayerCollective::None)
            made.bytes = 0;
        return {};
    }

    std::string_view m_text;
    const std::string& m_file;
    Diagnostics& m_diagnostics;
    const std::stop_token& m_stop;
    LayerTable m_table;
    const PolicyRow* m_policy = nullptr;
    std::size_t m_at = 0;
    int m_line = 0;
};

} // namespace

LayerTable::Sum LayerTable::sum(std::size_t pass, LayerCollective collective) const
{
    Sum total;
    for (const LayerRow& row : rows) {
        if (row.passes[pass].collective == collective) {
            ++total.count;
            total.bytes += row.passes[pass].bytes;
        }
    }
    return total;
}

std::int64_t LayerTable::time(std::size_t pass) const
{
    std::int64_t total = 0;
    for (const LayerRow& row : rows)
        total += row.passes[pass].ns;
    return total;
}

bool isLayerTable(std::string_view head)
{
    std::vector<std::string_view> lines[3];
    for (auto& words : lines) {
        const std::size_t end = std::min(head.find('\n'), head.size());
        words = wordsOf(head.substr(0, std::min<std::size_t>(end, 4096)));
        head.remove_prefix(std::min(end + 1, head.size()));
    }
    const bool policy = !lines[0].empty() && (policyOf(lines[0].front()) || lines[0].front().starts_with("HYBRID_"));
    return policy && !lines[1].empty() && wholeOf(lines[1].front()) && (lines[2].empty() || lines[2].size() >= 3);
}

Result<LayerTable> readLayerTable(std::string_view text, const std::string& file, Diagnostics& diagnostics, const std::stop_token& stop)
{
    return untilStopped([&] { return TableReader(text, file, diagnostics, stop).read(); });
}

} // namespace fabricscope
