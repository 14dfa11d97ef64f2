#pragma once

#include "core/base/files/textfile.h"
#include "core/base/index.h"
#include "core/program/onesided.h"
#include "core/programio/mscclpp.h"
#include "core/verify/verify.h"
#include "sourcedir.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/plantext.h"
#include "tests/unit/support/oracles/programrun.h"

#include <QtTest/QtTest>

#include <filesystem>
#include <functional>
#include <random>

namespace fabricscope::test {

/// Plans of MSCCL++ written by hand, and what their programs do.
using nlohmann::json;

using Op = PlanText::Op;
using Spot = PlanText::Place;

inline Spot here(const char* buffer, int index) { return PlanText::here(buffer, index); }
inline Spot there(int id, int index) { return PlanText::there(id, index); }
inline Spot team(int id, int index) { return PlanText::team(id, index); }
inline Op data(const char* name, const std::vector<Spot>& sources, const std::vector<Spot>& targets, const char* channel = nullptr) { return PlanText::data(name, sources, targets, channel); }
inline Op message(const char* name, const std::vector<int>& channels, const char* channel = "memory") { return PlanText::message(name, channels, channel); }
inline Op on(std::vector<int> channels, Op op) { return PlanText::on(std::move(channels), std::move(op)); }

inline Result<ProgramPtr> parsed(const PlanText& plan, Diagnostics* notes = nullptr)
{
    return parseMscclppPlan(plan.document().dump(), "plan.json", notes);
}

inline ProgramPtr read(const PlanText& plan)
{
    auto program = parsed(plan);
    if (!program)
        qFatal("%s", program.error().text().c_str());
    return std::move(program).value();
}

/// What is wrong with the program as a run: it must do what its collective asks, as it is and with sends and receives, and the verifier must agree.
inline QString objection(const PlanText& plan)
{
    const ProgramPtr program = read(plan);
    const auto sided = toTwoSided(program);
    if (!sided)
        return QString::fromStdString(sided.error().text());
    for (std::uint32_t seed = 0; seed < 8; ++seed) {
        for (const ProgramPtr& form : {program, sided.value()}) {
            const ProgramRun run = runProgram(*form, seed, plan.inPlace);
            if (!run.finished)
                return QStringLiteral("it does not finish");
            if (!run.fault.empty())
                return QString::fromStdString(run.fault);
            if (!meetsContract(*program, run.memory, plan.inPlace))
                return QStringLiteral("it does not do what the collective asks");
        }
    }
    const Verification verified = verify(*program);
    if (!verified.valid || verified.postcondition != Postcondition::Holds)
        return QStringLiteral("verifier: ") + (verified.findings.empty() ? QStringLiteral("does not hold") : QString::fromStdString(verified.findings.front().message));
    return {};
}

/// Ranks with channels and remote buffers to all others, in the order of the ranks: channel k and buffer k are those of the k-th other.
inline PlanText mesh(int ranks, const char* collective, int input, int output, int scratch, std::initializer_list<const char*> remote)
{
    PlanText plan;
    plan.collective = collective;
    for (int rank = 0; rank < ranks; ++rank) {
        PlanText::Rank own;
        own.input = input;
        own.output = output;
        own.scratch = scratch;
        for (int other = 0; other < ranks; ++other) {
            if (other != rank) {
                own.memory.push_back(other);
                own.port.push_back(other);
            }
        }
        for (const char* buffer : remote) { // All of the first buffer, then all of the second.
            for (const int other : own.memory)
                own.buffers.emplace_back(other, buffer);
        }
        plan.ranks.push_back(own);
    }
    return plan;
}

inline std::vector<int> upTo(int count)
{
    std::vector<int> out;
    for (int i = 0; i < count; ++i)
        out.push_back(i);
    return out;
}

inline std::vector<Contribution> of(std::initializer_list<Contribution> parts)
{
    return parts;
}

inline const std::vector<Contribution> kNothing;

inline std::vector<Contribution> cell(const ProgramRun& run, std::int32_t rank, BufferKind buffer, std::int32_t index)
{
    const auto found = run.memory.find({rank, buffer, index});
    return found == run.memory.end() ? kNothing : found->second;
}

inline int countOf(const Program& program, OpKind kind)
{
    const ExplicitBody& body = program.asExplicit();
    return static_cast<int>(std::count(body.kind.begin(), body.kind.end(), kind));
}

/// Two ranks exchange their chunk through packets: `write` puts them, `take` reads them.
inline PlanText packetExchange(const char* channel)
{
    PlanText plan = mesh(2, "allgather", 1, 2, 2, {"s"});
    plan.protocol = "LL";
    for (int rank = 0; rank < 2; ++rank) {
        Op put = data("ppkt", {here("i", 0)}, {there(0, rank)}, channel);
        if (std::string(channel) == "port")
            put = on({0}, put);
        plan.ranks[at(rank)].blocks = {{data("copy", {here("i", 0)}, {here("o", rank)}), put, data("upkt", {here("s", 1 - rank)}, {here("o", 1 - rank)})}};
    }
    return plan;
}

} // namespace fabricscope::test
