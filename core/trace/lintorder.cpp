#include "core/trace/lintorder.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

namespace fabricscope {

namespace {

/// Sets of collectives, one for each of a list.
class Sets {
public:
    Sets(std::size_t count, std::size_t words) : m_words(words), m_bits(count * words) {}
    std::uint64_t* of(std::size_t i) { return m_bits.data() + i * m_words; }
    const std::uint64_t* of(std::size_t i) const { return m_bits.data() + i * m_words; }
    void add(std::size_t i, std::size_t element) { of(i)[element / 64] |= std::uint64_t{1} << (element % 64); }
    void join(std::size_t i, const std::uint64_t* other)
    {
        for (std::size_t w = 0; w < m_words; ++w)
            of(i)[w] |= other[w];
    }

private:
    std::size_t m_words;
    std::vector<std::uint64_t> m_bits;
};

/// Which collectives of the group each of them waits for on this rank, by number of the collective.
Sets ancestorsOn(std::span<const MemberCall> own, const std::map<std::uint32_t, std::size_t>& numbers, std::size_t words, const ResolvedDependencies& resolved, const std::stop_token& stop)
{
    std::map<std::uint32_t, std::size_t> callAt;
    for (const MemberCall& call : own) {
        checkStop(stop);
        callAt.emplace(call.position, numbers.at(call.event));
    }
    Sets before(resolved.begin.size(), words); // Of each node.
    Sets out(numbers.size(), words);
    for (const std::uint32_t position : executionOrder(resolved, stop)) {
        checkStop(stop);
        for (const std::uint32_t parent : resolved.of(position)) {
            before.join(position, before.of(parent));
            if (const auto call = callAt.find(parent); call != callAt.end())
                before.add(position, call->second);
        }
        if (const auto call = callAt.find(position); call != callAt.end())
            out.join(call->second, before.of(position));
    }
    return out;
}

/// Does each of them wait for the one before, as usual? O(dependencies).
bool isChain(std::span<const MemberCall> own, const ResolvedDependencies& resolved, const std::stop_token& stop)
{
    std::vector<std::size_t> number(resolved.begin.size(), 0); // Of a call, from 1.
    for (std::size_t i = 0; i < own.size(); ++i)
        number[own[i].position] = i + 1;
    std::vector<std::size_t> last(resolved.begin.size(), 0); // Of the calls a node waits for.
    for (const std::uint32_t position : executionOrder(resolved, stop)) {
        checkStop(stop);
        for (const std::uint32_t parent : resolved.of(position))
            last[position] = std::max({last[position], last[parent], number[parent]});
        if (number[position] > 1 && last[position] + 1 != number[position])
            return false;
    }
    return true;
}

struct Member {
    std::span<const MemberCall> calls;
    std::int64_t rank = 0;
};

std::optional<std::size_t> firstIn(const std::uint64_t* a, const std::uint64_t* without, std::size_t words)
{
    for (std::size_t w = 0; w < words; ++w) {
        if (const std::uint64_t left = a[w] & ~without[w]; left != 0)
            return w * 64 + static_cast<std::size_t>(std::countr_zero(left));
    }
    return std::nullopt;
}

} // namespace

void lintCallOrders(std::span<const MemberCall> calls, const std::string& group, const TraceSet& traces, const std::vector<std::shared_ptr<const ResolvedDependencies>>& resolved,
                    const std::function<std::string(std::int64_t rank, std::uint32_t position)>& describe, std::uint64_t& work, const std::stop_token& stop, Findings& findings)
{
    std::vector<Member> members;
    for (std::size_t begin = 0; begin < calls.size();) {
        std::size_t end = begin;
        while (end < calls.size() && calls[end].rank == calls[begin].rank)
            ++end;
        members.push_back({calls.subspan(begin, end - begin), calls[begin].rank});
        begin = end;
    }
    const auto dependenciesOf = [&](const Member& member) -> const ResolvedDependencies& { return *resolved[at(member.rank)]; };
    const bool alike = std::all_of(members.begin(), members.end(), [&](const Member& member) { return &dependenciesOf(member) == &dependenciesOf(members.front()); });
    if (members.size() < 2 || members.front().calls.size() < 2 || alike)
        return;
    // All in one order, as there is no ring.
    if (std::all_of(members.begin(), members.end(), [&](const Member& member) { return isChain(member.calls, dependenciesOf(member), stop); }))
        return;
    std::map<std::uint32_t, std::size_t> numbers;
    for (const MemberCall& call : members.front().calls) {
        checkStop(stop);
        numbers.emplace(call.event, numbers.size());
    }
    const std::size_t words = (numbers.size() + 63) / 64;
    std::uint64_t needed = 0;
    for (const Member& member : members)
        needed += dependenciesOf(member).begin.size() * words;
    std::uint64_t largest = members.size() * numbers.size() * words;
    for (const Member& member : members)
        largest = std::max<std::uint64_t>(largest, dependenciesOf(member).begin.size() * words);
    constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 22; // 32 MiB.
    if (needed > work || largest > kMostAtOnce) {
        findings.add(Severity::Note, "collective-order-unknown", [&] { return "whether the members of " + group + " may block each other by the order of their collectives was not looked at: only a run tells"; },
            [] { return Place{}; });
        return;
    }
    work -= needed;

    std::vector<Sets> ancestors;
    Sets all(numbers.size(), words);
    for (const Member& member : members) {
        ancestors.push_back(ancestorsOn(member.calls, numbers, words, dependenciesOf(member), stop));
        for (std::size_t event = 0; event < numbers.size(); ++event) {
            checkStop(stop);
            all.join(event, ancestors.back().of(event));
        }
    }
    for (std::size_t free = 0; free < members.size(); ++free) {
        std::vector<std::size_t> turn(numbers.size());
        for (std::size_t i = 0; i < members[free].calls.size(); ++i)
            turn[numbers.at(members[free].calls[i].event)] = i;
        for (const MemberCall& call : members[free].calls) {
            checkStop(stop);
            const std::size_t later = numbers.at(call.event);
            const auto earlier = firstIn(all.of(later), ancestors[free].of(later), words);
            if (!earlier)
                continue;
            const auto callOf = [&](const Member& member, std::size_t event) {
                return std::find_if(member.calls.begin(), member.calls.end(), [&](const MemberCall& own) { return numbers.at(own.event) == event; })->position;
            };
            const bool first = turn[later] < turn[*earlier];
            findings.add(first ? Severity::Warning : Severity::Note, first ? "collective-order-free" : "collective-order-open",
                [&] {
                    const auto bound = std::find_if(ancestors.begin(), ancestors.end(), [&](const Sets& sets) { return (sets.of(later)[*earlier / 64] >> (*earlier % 64) & 1) != 0; });
                    const Member& other = members[at(bound - ancestors.begin())];
                    return describe(members[free].rank, call.position) + " may be issued before " + describe(members[free].rank, callOf(members[free], *earlier)) + ", but on rank " + std::to_string(other.rank) + " it waits for it ("
                        + describe(other.rank, callOf(other, later)) + "): a group runs its collectives in the order of their first issue, so the ranks may wait for each other for ever, which only a run tells";
                },
                [&] { return traces.place(members[free].rank, dependenciesOf(members[free]).node(call.position)); });
        }
    }
}

} // namespace fabricscope
