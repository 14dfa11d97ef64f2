// fabricscope-cli calibrate: a fabric fitted to logs of nccl-tests or rccl-tests.
#include "app/cli/measure/calibratecommand.h"

#include "app/cli/commandline.h"
#include "app/cli/output/tunedoutputs.h"
#include "app/cli/outputs.h"
#include "app/cli/runflags.h"
#include "app/cli/values.h"
#include "core/base/decimal.h"
#include "core/base/files/textfile.h"
#include "core/base/stop.h"
#include "core/choose/tuner.h"
#include "core/design/file/readdesign.h"
#include "core/draw/svg.h"
#include "core/measure/calibration.h"
#include "core/measure/measuredfigure.h"
#include "core/measure/transferlog.h"
#include "core/report/jsonwriter.h"
#include "core/report/outputfile.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace fabricscope::cli {

namespace {

struct CalibrateFlags {
    std::vector<std::string> logs;
    std::string out;
    std::string plot;
    TunedFiles tuned;
    bool json = false;
};

std::string calibratedText(const Calibration& calibration)
{
    const SetScore& all = calibration.inSample;
    std::string out = "rows        " + std::to_string(all.figures.rows) + ", " + showBytes({calibration.rows.front().transfer.bytes}) + " to " + showBytes({calibration.rows.back().transfer.bytes}) + '\n';
    out += "error       " + withDecimals(all.figures.errorPct, 2) + " % (geometric mean of the larger over the smaller)";
    for (const auto& [word, value] : {std::pair{"below 1 MiB", all.below1MiBPct}, {"1 to 64 MiB", all.to64MiBPct}, {"above", all.abovePct}})
        out += value ? ", " + std::string(word) + ' ' + withDecimals(*value, 2) + " %" : "";
    out += '\n';
    if (calibration.heldOutPct)
        out += "held out    " + withDecimals(*calibration.heldOutPct, 2) + " % of every second row when only the others are fitted\n";
    for (const auto& [name, value] : fittedNumbers(calibration.fit.figures))
        out += "fitted      " + name + ' ' + value + '\n';
    out += "\n      size  GPUs  nodes  simulated/measured\n";
    for (const PredictedTransfer& row : calibration.rows) {
        const auto padded = [](const std::string& text, std::size_t width) { return std::string(text.size() < width ? width - text.size() : 0, ' ') + text; };
        out += padded(showBytes({row.transfer.bytes}), 10) + padded(std::to_string(row.transfer.gpus), 6) + padded(std::to_string(row.transfer.nodes), 7) + padded(withDecimals(*row.predicted / row.transfer.seconds, 3), 20) + '\n';
    }
    return out;
}

std::string calibratedJson(const Calibration& calibration)
{
    JsonWriter out;
    const auto percent = [&out](std::string_view key, const std::optional<double>& value) {
        out.key(key);
        value ? out.number(withDecimals(*value, 4)) : out.null();
    };
    const auto nanoseconds = [&out](std::string_view key, double seconds) {
        out.key(key);
        out.number(withDecimals(seconds * 1e9, 3));
    };
    const SetScore& all = calibration.inSample;
    const FittedFigures& figures = calibration.fit.figures;
    out.beginObject();
    out.member("schema", 1);
    out.key("result");
    out.beginObject();
    out.member("rows", all.figures.rows);
    percent("error_pct", all.figures.errorPct);
    percent("below_1MiB_pct", all.below1MiBPct);
    percent("to_64MiB_pct", all.to64MiBPct);
    percent("above_pct", all.abovePct);
    percent("held_out_pct", calibration.heldOutPct);
    nanoseconds("launch_ns", figures.launch);
    const auto level = [&](std::string_view name, std::int64_t upTo, double perMessage, double perByte) {
        out.beginCompactObject();
        out.member("links", name);
        out.key("up_to");
        upTo == INT64_MAX ? out.null() : out.integer(upTo);
        nanoseconds("message_ns", perMessage);
        out.key("bandwidth");
        perByte > 0 ? out.number(withDecimals(1 / perByte, 0)) : out.null();
        out.endObject();
    };
    out.key("fitted");
    out.beginArray();
    for (const FittedFigures::Part& part : figures.parts)
        level("inside", part.upTo, part.perMessage, part.perByte);
    if (figures.hasNetwork)
        level("network", INT64_MAX, figures.networkPerMessage, figures.networkPerByte);
    out.endArray();
    out.key("range");
    out.beginCompactObject();
    out.member("from", calibration.rows.front().transfer.bytes);
    out.member("to", calibration.rows.back().transfer.bytes);
    out.endObject();
    out.key("residuals");
    out.beginArray();
    for (const PredictedTransfer& row : calibration.rows) {
        out.beginCompactObject();
        out.member("collective", row.transfer.message ? std::string_view("send") : collectiveKey(row.transfer.op));
        out.member("gpus", row.transfer.gpus);
        out.member("nodes", row.transfer.nodes);
        out.member("bytes", row.transfer.bytes);
        nanoseconds("measured_ns", row.transfer.seconds);
        nanoseconds("simulated_ns", *row.predicted);
        out.endObject();
    }
    out.endArray();
    out.endObject();
    out.endObject();
    return out.text() + '\n';
}

Status writePlot(const Calibration& calibration, const std::string& path, Session& session)
{
    constexpr double kPlotWidth = 760;
    return untilStopped([&]() -> Status {
        const std::string svg = svgText(measuredFigure(calibration.rows, kPlotWidth), {.file = true, .stop = session.stopToken()});
        return writeOutputFile(path, svg, session.outputs());
    });
}

/// What is fastest on the fabric, of the collectives that were measured, at every doubling of their sizes.
Status writeFastest(const std::string& fabric, const Calibration& calibration, const CalibrateFlags& flags, Session& session)
{
    const Result<LoadedDesign> design = readDesignText(fabric, flags.out);
    if (!design)
        return design.error();
    std::vector<CollectiveChoice> choices;
    for (const CollectiveOp op : {CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::ReduceScatter}) {
        std::int64_t least = INT64_MAX;
        std::int64_t most = 0;
        for (const PredictedTransfer& row : calibration.rows) {
            if (row.transfer.message || row.transfer.op != op)
                continue;
            least = std::min(least, row.transfer.bytes);
            most = std::max(most, row.transfer.bytes);
        }
        TuneRequest request{op, {}, 1, session.stopToken()};
        for (std::int64_t bytes = least; bytes <= most; bytes = bytes > most / 2 ? most + 1 : 2 * bytes)
            request.sizes.push_back(bytes);
        if (request.sizes.empty())
            continue;
        const Result<std::vector<CollectiveChoice>> found = tuneSizes(design.value().design, request);
        if (!found)
            return found.error();
        choices.insert(choices.end(), found.value().begin(), found.value().end());
    }
    if (choices.empty()) {
        session.say("note: neither all-reduce, all-gather nor reduce-scatter was measured: there is nothing to choose");
        return {};
    }
    return writeTuned(design.value().design, choices, flags.tuned, session);
}

void runCalibrate(const CalibrateFlags& flags, Session& session)
{
    std::vector<NamedFile> inputs;
    for (const std::string& log : flags.logs)
        inputs.push_back({"LOG", log});
    if (const Status status = claimOutputs(session, {{"--out", flags.out}, {"--plot", flags.plot}, {"--tuner", flags.tuned.table}}, inputs, flags.json); !status)
        return session.fail(status);
    std::vector<MeasuredTransfer> rows;
    for (const std::string& log : flags.logs) {
        const Result<std::string> text = readTextFile(log);
        if (!text)
            return session.fail(text.error());
        const Result<std::vector<MeasuredTransfer>> read = readTransferLog(text.value(), log);
        if (!read)
            return session.fail(read.error());
        rows.insert(rows.end(), read.value().begin(), read.value().end());
    }
    const Result<Calibration> calibration = calibrateFabric(std::move(rows), session.stopToken());
    if (!calibration)
        return session.fail(calibration.error());
    const std::string fabric = calibratedDesign(calibration.value(), flags.logs);
    if (const Status status = writeOutputFile(flags.out, fabric, session.outputs()); !status)
        return session.fail(status);
    if (!flags.plot.empty()) {
        if (const Status status = writePlot(calibration.value(), flags.plot, session); !status)
            return session.fail(status);
    }
    if (!flags.tuned.table.empty() || !flags.tuned.programs.empty()) {
        if (const Status status = writeFastest(fabric, calibration.value(), flags, session); !status)
            return session.fail(status);
    }
    session.print(flags.json ? calibratedJson(calibration.value()) : calibratedText(calibration.value()));
}

} // namespace

void addCalibrate(Command& program, Session& session)
{
    auto flags = std::make_shared<CalibrateFlags>();
    Command& command = *program.add_subcommand("calibrate", "Fit a fabric to logs of nccl-tests or rccl-tests: latency and bandwidth, its error, residuals by size");
    command.add_option("LOG", flags->logs, "Logs of one machine, any collectives and numbers of GPUs; or CSV with columns gpus, nodes, collective, bytes, time_us")->required();
    command.add_option("--out", flags->out, "Write the fabric to this file, as a design")->required();
    command.add_option("--plot", flags->plot, "Draw the measured times beside the simulated ones into this SVG file");
    command.add_option("--tuner", flags->tuned.table, "Write NCCL's tuner table of what is fastest on the fabric, over the sizes that were measured, to this file");
    command.add_option("--programs", flags->tuned.programs, "The same as MSCCL XML: PREFIX.COLLECTIVE.BYTES.xml, a file from every size on from which another program is fastest");
    command.add_flag("--json", flags->json, "As JSON");
    command.callback([flags, &session] { runCalibrate(*flags, session); });
}

} // namespace fabricscope::cli
