#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QList>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace fabricscope::test {

/// One way to break a rule (manual: formats 5.1) in a right file whose elements each have a line of their own.
struct MscclBreak {
    std::string rule;                                      ///< "V14".
    Severity severity = Severity::Error;                   ///< Of the finding the broken file must have.
    std::optional<QByteArray> (*apply)(const QByteArray&); ///< Absent: the rule cannot be broken in this file.
};

/// The value of an attribute of a line as a number; -1 where there is none.
inline int attribute(const QByteArray& line, const char* name)
{
    const QByteArray key = QByteArray(" ") + name + "=\"";
    const qsizetype at = line.indexOf(key);
    if (at < 0)
        return -1;
    const qsizetype begin = at + key.size();
    return line.mid(begin, line.indexOf('"', begin) - begin).toInt();
}

/// Puts another value there. False: there is no such attribute, or it has that value.
inline bool setAttribute(QByteArray& line, const char* name, const QByteArray& value)
{
    const QByteArray key = QByteArray(" ") + name + "=\"";
    const qsizetype at = line.indexOf(key);
    if (at < 0)
        return false;
    const qsizetype begin = at + key.size();
    const qsizetype length = line.indexOf('"', begin) - begin;
    if (line.mid(begin, length) == value)
        return false;
    line.replace(begin, length, value);
    return true;
}

namespace mscclbreaks {

using Lines = QList<QByteArray>;
using Broken = std::optional<QByteArray>;

inline QByteArray step(int s, const char* type, const char* sourceBuffer, int source, const char* targetBuffer, int target, int dependLane = -1, int dependStep = -1, int hasDependents = 0)
{
    return "<step s=\"" + QByteArray::number(s) + "\" type=\"" + type + "\" srcbuf=\"" + sourceBuffer + "\" srcoff=\"" + QByteArray::number(source) + "\" dstbuf=\""
        + targetBuffer + "\" dstoff=\"" + QByteArray::number(target) + "\" cnt=\"1\" depid=\"" + QByteArray::number(dependLane) + "\" deps=\""
        + QByteArray::number(dependStep) + "\" hasdep=\"" + QByteArray::number(hasDependents) + "\"/>";
}

inline QByteArray block(int id, int send, int receive, int channel, const QByteArray& steps)
{
    return "<tb id=\"" + QByteArray::number(id) + "\" send=\"" + QByteArray::number(send) + "\" recv=\"" + QByteArray::number(receive) + "\" chan=\""
        + QByteArray::number(channel) + "\">\n" + steps + "\n</tb>\n";
}

/// First line from `from` on that contains `text`; the number of lines where none does.
inline qsizetype find(const Lines& lines, const char* text, qsizetype from = 0)
{
    while (from < lines.size() && !lines[from].contains(text))
        ++from;
    return from;
}

/// First line of the element a line is in.
inline qsizetype above(const Lines& lines, const char* text, qsizetype line)
{
    while (line > 0 && !lines[line].contains(text))
        --line;
    return line;
}

/// First thread block that sends.
inline qsizetype sendingBlock(const Lines& lines)
{
    qsizetype line = find(lines, "<tb ");
    while (line < lines.size() && attribute(lines[line], "send") < 0)
        line = find(lines, "<tb ", line + 1);
    return line;
}

/// First step of one of these types.
inline qsizetype stepOf(const Lines& lines, std::initializer_list<const char*> types)
{
    for (qsizetype line = find(lines, "<step "); line < lines.size(); line = find(lines, "<step ", line + 1)) {
        for (const char* type : types) {
            if (lines[line].contains(QByteArray(" type=\"") + type + "\""))
                return line;
        }
    }
    return lines.size();
}

inline int rankOfLine(const Lines& lines, qsizetype line) { return attribute(lines[above(lines, "<gpu ", line)], "id"); }

/// Number of the thread block that would come next in the element of a rank.
inline int nextBlock(const Lines& lines, qsizetype gpu)
{
    int count = 0;
    for (qsizetype line = gpu; !lines[line].contains("</gpu>"); ++line)
        count += lines[line].contains("<tb ") ? 1 : 0;
    return count;
}

inline void appendToRank(Lines& lines, qsizetype gpu, const QByteArray& text) { lines.insert(find(lines, "</gpu>", gpu), text); }

template <typename Change>
inline Broken changed(const QByteArray& text, Change&& change)
{
    Lines lines = text.split('\n');
    if (!change(lines))
        return std::nullopt;
    return lines.join('\n');
}

inline Broken withHead(const QByteArray& text, const char* name, const QByteArray& value)
{
    return changed(text, [&](Lines& lines) { return setAttribute(lines[find(lines, "<algo ")], name, value); });
}

inline Broken otherProtocol(const QByteArray& text) { return withHead(text, "proto", "Fast"); }
inline Broken ranksInWords(const QByteArray& text) { return withHead(text, "ngpus", "none"); }
inline Broken noCollective(const QByteArray& text) { return withHead(text, "coll", "gossip"); }

inline Broken rankTwice(const QByteArray& text)
{
    return changed(text, [](Lines& lines) {
        const qsizetype first = find(lines, "<gpu ");
        const qsizetype second = find(lines, "<gpu ", first + 1);
        return second < lines.size() && setAttribute(lines[second], "id", QByteArray::number(attribute(lines[first], "id")));
    });
}

inline Broken stepOutOfPlace(const QByteArray& text)
{
    return changed(text, [](Lines& lines) { return setAttribute(lines[find(lines, "<step ")], "s", "7"); });
}

inline Broken ownPeer(const QByteArray& text)
{
    return changed(text, [](Lines& lines) {
        const qsizetype tb = sendingBlock(lines);
        return setAttribute(lines[tb], "send", QByteArray::number(rankOfLine(lines, tb)));
    });
}

inline Broken channelTooLarge(const QByteArray& text)
{
    return changed(text, [](Lines& lines) {
        const int channels = attribute(lines[find(lines, "<algo ")], "nchannels");
        return setAttribute(lines[sendingBlock(lines)], "chan", QByteArray::number(channels));
    });
}

/// A second thread block on the connection of the first one.
inline Broken twoSenders(const QByteArray& text)
{
    return changed(text, [](Lines& lines) {
        const qsizetype tb = sendingBlock(lines);
        const qsizetype gpu = above(lines, "<gpu ", tb);
        const int send = attribute(lines[tb], "send");
        const int channel = attribute(lines[tb], "chan");
        appendToRank(lines, gpu, block(nextBlock(lines, gpu), send, -1, channel, step(0, "s", "i", 0, "i", 0)));
        return true;
    });
}

inline Broken messageTooMany(const QByteArray& text)
{
    return changed(text, [](Lines& lines) {
        const qsizetype tb = sendingBlock(lines);
        const qsizetype end = find(lines, "</tb>", tb);
        int steps = 0;
        for (qsizetype line = tb; line < end; ++line)
            steps += lines[line].contains("<step ") ? 1 : 0;
        lines.insert(end, step(steps, "s", "i", 0, "i", 0));
        return true;
    });
}

inline Broken outsideTheBuffer(const QByteArray& text)
{
    return changed(text, [](Lines& lines) { return setAttribute(lines[stepOf(lines, {"s"})], "srcoff", "100000"); });
}

inline Broken lessDeclared(const QByteArray& text)
{
    return changed(text, [](Lines& lines) {
        bool any = false;
        for (qsizetype line = find(lines, "<gpu "); line < lines.size(); line = find(lines, "<gpu ", line + 1)) {
            any = setAttribute(lines[line], "i_chunks", "0") || any;
            any = setAttribute(lines[line], "o_chunks", "0") || any;
        }
        return any;
    });
}

inline Broken waitsForNobody(const QByteArray& text)
{
    return changed(text, [](Lines& lines) {
        QByteArray& line = lines[find(lines, "<step ")];
        setAttribute(line, "deps", "0");
        return setAttribute(line, "depid", "99");
    });
}

inline Broken idleNop(const QByteArray& text)
{
    return changed(text, [](Lines& lines) {
        const qsizetype gpu = find(lines, "<gpu ");
        appendToRank(lines, gpu, block(nextBlock(lines, gpu), -1, -1, 0, step(0, "nop", "i", 0, "i", 0).replace("cnt=\"1\"", "cnt=\"0\"")));
        return true;
    });
}

/// Two thread blocks that wait for each other.
inline Broken waitInARing(const QByteArray& text)
{
    return changed(text, [](Lines& lines) {
        const qsizetype gpu = find(lines, "<gpu ");
        const int first = nextBlock(lines, gpu);
        appendToRank(lines, gpu, block(first, -1, -1, 0, step(0, "cpy", "i", 0, "i", 0, first + 1, 0, 1))
                                     + block(first + 1, -1, -1, 0, step(0, "cpy", "i", 0, "i", 0, first, 0, 1)));
        return true;
    });
}

/// Two ranks send each other nine messages on a new channel before they take one; a connection has two slots, or eight.
inline Broken nineMessagesFirst(const QByteArray& text)
{
    return changed(text, [](Lines& lines) {
        const qsizetype head = find(lines, "<algo ");
        const int channel = attribute(lines[head], "nchannels");
        setAttribute(lines[head], "nchannels", QByteArray::number(channel + 1));
        QByteArray steps;
        for (int s = 0; s < 18; ++s)
            steps += step(s, s < 9 ? "s" : "r", "i", 0, "i", 0) + "\n";
        const qsizetype first = find(lines, "<gpu ");
        const qsizetype second = find(lines, "<gpu ", first + 1);
        const int one = attribute(lines[first], "id");
        const int other = attribute(lines[second], "id");
        appendToRank(lines, second, block(nextBlock(lines, second), one, one, channel, steps));
        appendToRank(lines, first, block(nextBlock(lines, first), other, other, channel, steps));
        return true;
    });
}

inline Broken sendsUndefined(const QByteArray& text)
{
    return changed(text, [](Lines& lines) {
        const qsizetype at = stepOf(lines, {"s"});
        const qsizetype gpu = above(lines, "<gpu ", at);
        const int scratch = attribute(lines[gpu], "s_chunks");
        setAttribute(lines[gpu], "s_chunks", QByteArray::number(scratch + attribute(lines[at], "cnt")));
        setAttribute(lines[at], "srcbuf", "s");
        setAttribute(lines[at], "srcoff", QByteArray::number(scratch));
        return true;
    });
}

/// A thread block of its own that waits for nobody touches what a receive writes.
inline Broken unorderedCopy(const QByteArray& text)
{
    return changed(text, [](Lines& lines) {
        const qsizetype at = stepOf(lines, {"r", "rcs", "rrc", "rrcs"});
        const qsizetype gpu = above(lines, "<gpu ", at);
        const qsizetype begin = lines[at].indexOf(" dstbuf=\"") + 9;
        const QByteArray buffer = lines[at].mid(begin, 1);
        const int offset = attribute(lines[at], "dstoff");
        appendToRank(lines, gpu, block(nextBlock(lines, gpu), -1, -1, 0, step(0, "cpy", buffer.constData(), offset, buffer.constData(), offset)));
        return true;
    });
}

/// The file says that it does something else, of the same sizes.
inline Broken otherCollective(const QByteArray& text)
{
    const auto says = [&](const char* name) { return text.contains(QByteArray("coll=\"") + name + "\""); };
    if (says("custom")) // Known by its name; the test gives it the condition of the other direction.
        return QByteArray(text).replace("alltonext-backward", "alltonext-forward");
    return withHead(text, "coll", says("allreduce") ? "broadcast" : says("reduce_scatter") ? "scatter" : says("allgather") ? "alltoall" : "allreduce");
}

inline Broken oneChunkMore(const QByteArray& text)
{
    const auto says = [&](const char* name) { return text.contains(QByteArray("coll=\"") + name + "\""); };
    if (!says("allgather") && !says("reduce_scatter") && !says("alltoall"))
        return std::nullopt;
    return changed(text, [](Lines& lines) {
        QByteArray& head = lines[find(lines, "<algo ")];
        return setAttribute(head, "nchunksperloop", QByteArray::number(attribute(head, "nchunksperloop") + 1));
    });
}

inline Broken scratchToSpare(const QByteArray& text)
{
    return changed(text, [](Lines& lines) {
        // Of a rank that has used all it has: one finding says all of a rank's scratch that is not used.
        QByteArray& gpu = lines[find(lines, "<gpu ")];
        return setAttribute(gpu, "s_chunks", QByteArray::number(attribute(gpu, "s_chunks") + 1));
    });
}

inline Broken manySteps(const QByteArray& text)
{
    return changed(text, [](Lines& lines) {
        const qsizetype gpu = find(lines, "<gpu ");
        QByteArray steps;
        for (int s = 0; s < 257; ++s)
            steps += step(s, "cpy", "i", 0, "i", 0) + "\n";
        appendToRank(lines, gpu, block(nextBlock(lines, gpu), -1, -1, 0, steps));
        return true;
    });
}

} // namespace mscclbreaks

/// V1 to V20, each at least once. The break is sure by construction: it is made of what the rule forbids, not of a change that is tried.
inline const std::vector<MscclBreak>& mscclBreaks()
{
    using namespace mscclbreaks;
    static const std::vector<MscclBreak> breaks = {
        {"V1", Severity::Error, otherProtocol},    {"V1", Severity::Error, ranksInWords},      {"V2", Severity::Error, rankTwice},
        {"V3", Severity::Error, stepOutOfPlace},   {"V4", Severity::Error, ownPeer},           {"V5", Severity::Error, channelTooLarge},
        {"V6", Severity::Error, twoSenders},       {"V7", Severity::Error, messageTooMany},    {"V8", Severity::Error, outsideTheBuffer},
        {"V9", Severity::Warning, lessDeclared},   {"V10", Severity::Error, waitsForNobody},   {"V11", Severity::Warning, idleNop},
        {"V12", Severity::Error, waitInARing},     {"V13", Severity::Warning, nineMessagesFirst}, {"V14", Severity::Error, sendsUndefined},
        {"V15", Severity::Error, unorderedCopy},   {"V16", Severity::Error, otherCollective},  {"V17", Severity::Error, noCollective},
        {"V18", Severity::Error, oneChunkMore},    {"V19", Severity::Note, scratchToSpare},    {"V20", Severity::Note, manySteps},
    };
    return breaks;
}

} // namespace fabricscope::test
