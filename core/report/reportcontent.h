#pragma once

#include "core/draw/drawing.h"
#include "core/record/timelinesource.h"
#include "core/report/runsummary.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace fabricscope {

struct ReportCell {
    enum class Look : std::uint8_t { Plain, Strong, Warning, Chip };
    std::string text;
    Look look = Look::Plain;
    int dimension = -1; ///< Colour of a chip.

    ReportCell(std::string words, Look how = Look::Plain) : text(std::move(words)), look(how) {}
    ReportCell(const char* words) : text(words) {}
    static ReportCell chip(int dimension);
};

struct ReportColumn {
    std::string title;
    bool number = false;  ///< Set right.
    double weight = 1;    ///< Share of the width.
};

struct ReportTable {
    std::vector<ReportColumn> columns;
    std::vector<std::vector<ReportCell>> rows; ///< As many cells as columns.
    std::string note;                          ///< Below; may be empty.
};

struct ReportFigure {
    Drawing drawing;
    Drawing legend;      ///< Beside the caption; may be empty.
    int number = 1;
    std::string caption;
};

struct ReportText {
    std::string text;
};

struct ReportList {
    std::vector<std::string> items;
};

/// Lines of a file as they are.
struct ReportCode {
    std::string text;
};

using ReportBlock = std::variant<ReportText, ReportList, ReportTable, ReportFigure, ReportCode>;

/// Sections, in the order of a report.
enum class ReportPart : std::uint8_t { Platform, Results, Placement, Comparison, Links, Timeline, Utilisation, Storyboard, Findings, Assumptions, Method, Inputs };
constexpr int kReportPartCount = static_cast<int>(ReportPart::Inputs) + 1;
/// Sections of a report of one run: all but the comparison, which addComparison() adds where there are designs to compare with, and the placement, which plans
/// with `placement: hap` have.
constexpr int kRunPartCount = kReportPartCount - 2;

struct PlacementFigures; // placementfigures.h

enum class ReportPaper : std::uint8_t { A4, Letter };

struct ReportSection {
    ReportPart part = ReportPart::Platform;
    std::string title;
    bool half = false;  ///< Neighbouring halves stand side by side.
    bool shown = true;
    std::vector<ReportBlock> blocks;
};

struct ReportKeyFigure {
    std::string label;
    std::string value;
    std::string detail;
};

/// One part of the stacked bar of the result.
struct ReportShare {
    std::string label;
    std::string value;  ///< "5.820 ms"; the shown values of all parts add up to the shown total.
    std::string share;  ///< "51.4 %".
    std::int64_t ps = 0;
    DrawColor color;
    bool hatched = false; ///< Exposed communication.
};

/// Everything a report says, as text, tables and drawings. A plain value: the page for browsers and the one for printers are made of it.
struct ReportContent {
    std::string kind = "Fabricscope design report"; ///< Above the title.
    std::string title;
    std::string question;          ///< Notes of the design; may be empty.
    std::string notice;            ///< What must be known before anything else is read; may be empty.
    std::string answerLead;        ///< First sentence of the answer; the answer has at most three. Shown as lead().
    std::size_t answerTime = 0;    ///< So many bytes of it say how long a step takes; 0: it does not say that.
    std::string comparison;        ///< What is said of that time beside another design: "20.6 % faster than pod (a.yaml)"; may be empty.
    std::string answer;
    std::vector<std::string> waits; ///< A run that never ends: who waits for what.
    std::vector<ReportKeyFigure> figures;
    std::vector<ReportShare> shares; ///< Of the slowest class; empty when not known.
    std::string sharesOf;          ///< "ranks 0-7".
    std::vector<ReportSection> sections;
    std::string program;           ///< "Fabricscope 0.1.0".
    std::string file;              ///< Name of the design file without folders; may be empty.
    std::string hash;              ///< First digits of the design hash.
    ReportPaper paper = ReportPaper::A4;

    /// First sentence of the answer; while the section on the comparison is shown, with what that says.
    std::string lead() const;
    /// "Fabricscope 0.1.0, design pod.yaml, hash 3f92 c07a".
    std::string foot() const;
    void show(ReportPart part, bool shown);
    /// Sections that are shown, in order; their numbers count from 1.
    std::vector<const ReportSection*> shownSections() const;
};

/// What a report is made of.
struct ReportSource {
    const RunSummary* summary = nullptr;   ///< Never null.
    ScenarioPtr scenario;                  ///< Null: figures and tables of the platform are left out.
    TimelineSourcePtr timeline;            ///< Null: made from the record when it has task times and there is a scenario.
    const RunSummary* before = nullptr;    ///< A run to compare with; null: none.
    std::string beforeName;                ///< "20 GB/s", "baseline"; used as "was 12.824 ms at 20 GB/s" when not empty.
    std::string notice;                    ///< For ReportContent::notice.
    std::string designText;                ///< Exact inputs; empty: that of the summary.
    /// The storyboard is left to a later report of the same run: its section says so. Making it runs the scenario once more.
    bool withoutStoryboard = false;
    std::shared_ptr<const PlacementFigures> placement{}; ///< Null: that of the summary, if it has one.
};

/// Equal results give equal content: no dates, no measured times, no folders outside the inputs section. Told to stop: throws
/// StopRequested (stop.h).
/// O(classes + links log links + pixels of figures * tracks), and with the storyboard one run of the scenario, if it is short (storyboardcards.h).
ReportContent reportContent(const ReportSource& source, const std::stop_token& stop = {});

/// Of a saved run; figures that need the platform are drawn when the design can be built again, see rebuiltScenario().
ReportContent reportContent(const RunSummary& summary, const std::stop_token& stop = {});

/// One part of the stacked bar: full, or hatched with a frame.
void addShare(Drawing& drawing, const RectF& rect, const ReportShare& share);

/// A saved run's design and scenario, built again from its design text.
struct RebuiltRun {
    std::shared_ptr<const Design> design; ///< As it was run. Null unless it can be read and is the very same (its hash).
    ScenarioPtr scenario;                 ///< Null without the design, or when its files have changed or are gone.
    std::shared_ptr<const PlacementFigures> placement; ///< Of a plan with `placement: hap`; else null.
};

/// Told to stop: throws StopRequested.
RebuiltRun rebuiltRun(const RunSummary& summary, const std::stop_token& stop = {});
/// Its scenario.
ScenarioPtr rebuiltScenario(const RunSummary& summary, const std::stop_token& stop = {});

} // namespace fabricscope
