// `report --compare`: the section that says what a design is beside others. Times are those of `simulate`, on each design by itself.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <cmath>
#include <optional>
#include <tuple>
#include <vector>

using namespace fabricscope::test;

namespace {

/// 1 MiB all-reduce over a ring of eight, one chunk: 14 messages after each other of endpoint delay, latency and 128 KiB over the bandwidth.
QByteArray ringDesign(const char* bandwidth, const char* latency)
{
    return QByteArray("fabricscope: 1\nname: ring\nplatform:\n  dimensions:\n    - {shape: ring, size: 8, bandwidth: ") + bandwidth + " GiB/s, latency: " + latency
        + " ns}\n  npu: {memory_bandwidth: 1600 GB/s}\nworkload:\n  steps:\n    - {collective: all_reduce, size: 1 MiB}\n"
          "collectives: {default: {algorithm: ring, chunks: 1}}\nmodel: {name: links, endpoint_delay: 10 ns}\n";
}

/// "−17 089.842 ns" in picoseconds, exactly; nothing: no time.
std::optional<qint64> psOf(QString text)
{
    text.remove(QChar(0x202F)).replace(QChar(0x2212), QLatin1Char('-'));
    static const QRegularExpression form(QStringLiteral("^([-+]?)(\\d+)(?:\\.(\\d+))?(s|ms|\u00b5s|ns|ps)$"));
    const auto match = form.match(text);
    if (!match.hasMatch())
        return std::nullopt;
    const QStringList units{QStringLiteral("ps"), QStringLiteral("ns"), QStringLiteral("\u00b5s"), QStringLiteral("ms"), QStringLiteral("s")};
    const qsizetype digits = 3 * units.indexOf(match.captured(4));
    const QString whole = match.captured(2) + match.captured(3).leftJustified(digits, QLatin1Char('0'));
    return match.captured(3).size() > digits ? std::nullopt : std::optional((match.captured(1) == QLatin1String("-") ? -1 : 1) * whole.toLongLong());
}

/// A waterfall as the page has it for those who do not see it.
struct ReadWaterfall {
    QString title;
    QString first;             ///< Letter and name of the design it begins with,
    QString last;              ///< and of that it ends with.
    qint64 from = -1;
    qint64 to = -1;
    qint64 sum = 0;
    QStringList fields;
    std::vector<qint64> changes;
    std::vector<qint64> times; ///< After each change.
    QString shown;             ///< All of its picture.
};

/// One row: "NAME: [CHANGE, ]TIME".
bool readRow(const QString& row, QString& name, std::optional<qint64>& change, std::optional<qint64>& time)
{
    const qsizetype colon = row.lastIndexOf(QStringLiteral(": "));
    name = row.left(colon);
    QStringList values = row.mid(colon + 2).split(QStringLiteral(", "));
    time = psOf(values.takeLast());
    change.reset();
    if (!values.isEmpty())
        change = psOf(values.takeLast().remove(QStringLiteral("sum ")));
    return colon > 0 && values.isEmpty() && time.has_value();
}

std::vector<ReadWaterfall> waterfallsOf(const QString& page)
{
    std::vector<ReadWaterfall> all;
    static const QRegularExpression picture(QStringLiteral("<svg[^>]*><title>((?:Why )?[A-D] (?:is faster than|is slower than|takes as long as) [A-D])</title><desc>([^<]*)</desc>(.*?)</svg>"),
                                            QRegularExpression::DotMatchesEverythingOption);
    for (auto match = picture.globalMatch(page); match.hasNext();) {
        const auto found = match.next();
        ReadWaterfall made;
        made.title = found.captured(1);
        made.shown = found.captured(3);
        const QStringList rows = found.captured(2).split(QStringLiteral("; "));
        for (qsizetype i = 0; i < rows.size(); ++i) {
            QString name;
            std::optional<qint64> change;
            std::optional<qint64> time;
            if (!readRow(rows[i], name, change, time))
                return {};
            if (i == 0) {
                made.first = name;
                made.from = *time;
            } else if (i + 1 == rows.size()) {
                made.last = name;
                made.to = *time;
                made.sum = change.value_or(0);
            } else {
                made.fields << name.section(QStringLiteral("  "), 1);
                made.changes.push_back(change.value_or(0));
                made.times.push_back(*time);
            }
        }
        all.push_back(made);
    }
    return all;
}

} // namespace

class TestCliReportCompare : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    QString path(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)); }

    /// Words between blanks.
    CliResult run(const QString& line) const { return runCli(line.split(QLatin1Char(' ')), m_folder.path()); }

    QByteArray bytesOf(const char* name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    /// The page of a line that must succeed.
    QString pageOf(const QString& line)
    {
        QFile::remove(path("page.html"));
        const CliResult result = run(QStringLiteral("report %1 --out page.html").arg(line));
        if (result.exit != 0)
            qWarning("%s", result.err.constData());
        return result.exit == 0 ? QString::fromUtf8(bytesOf("page.html")) : QString();
    }

    /// Finish of a design by itself, in picoseconds.
    qint64 simulated(const QString& words) const
    {
        QStringList arguments{QStringLiteral("simulate")};
        arguments += words.split(QLatin1Char('|'));
        const auto made = jsonOf(runCli(arguments + QStringList{QStringLiteral("--json")}, m_folder.path()));
        return made.contains("result") ? std::llround(made["result"]["finish_ns"].get<double>() * 1000) : -1;
    }

    /// What must hold of any waterfall; the reason why not.
    static QString brokenRule(const ReadWaterfall& made)
    {
        qint64 at = made.from;
        qint64 sum = 0;
        for (std::size_t i = 0; i < made.changes.size(); ++i) {
            at += made.changes[i];
            sum += made.changes[i];
            if (made.times[i] != at)
                return QStringLiteral("step %1 ends at %2, not at %3").arg(i + 1).arg(made.times[i]).arg(at);
        }
        if (at != made.to || sum != made.sum || made.to - made.from != sum)
            return QStringLiteral("the steps give %1, the sum is %2, the designs differ by %3").arg(sum).arg(made.sum).arg(made.to - made.from);
        return {};
    }

private slots:
    void initTestCase()
    {
        QVERIFY(writeFile(path("a.yaml"), ringDesign("50", "500")));
        QVERIFY(writeFile(path("b.yaml"), ringDesign("100", "650")));
        for (const auto& [name, bandwidth, latency] : {std::tuple{"a1.yaml", "50", "500"}, {"b1.yaml", "100", "650"}})
            QVERIFY(writeFile(path(name), ringDesign(bandwidth, latency).replace("  steps:\n    - {", "  {")));
        QVERIFY(writeFile(path("c.yaml"), ringDesign("25", "500").replace("endpoint_delay: 10", "endpoint_delay: 20")));
        QVERIFY(writeFile(path("broken.yaml"), "fabricscope: 1\nplatform: {dimensions: 3}\n"));
    }

    void theStepsOfTheWaterfallAddUpToWhatSimulateSays()
    {
        const QString page = pageOf(QStringLiteral("b.yaml --compare a.yaml"));
        const std::vector<ReadWaterfall> all = waterfallsOf(page);
        QCOMPARE(all.size(), std::size_t{1});
        const ReadWaterfall& made = all[0];
        QCOMPARE(made.title, QStringLiteral("Why B is faster than A"));
        QCOMPARE(made.first, QStringLiteral("A ring (a.yaml)"));
        QCOMPARE(made.last, QStringLiteral("B ring (b.yaml)"));
        // 14 (10 + 500 + 2441.407) and 14 (10 + 650 + 1220.704) ns.
        QCOMPARE(simulated(QStringLiteral("a.yaml")), qint64{41'319'698});
        QCOMPARE(simulated(QStringLiteral("b.yaml")), qint64{26'329'856});
        QCOMPARE(made.from, qint64{41'319'698});
        QCOMPARE(made.to, qint64{26'329'856});
        QCOMPARE(brokenRule(made), QString());
        QCOMPARE(made.fields, QStringList({QStringLiteral("platform.dimensions[0].bandwidth"), QStringLiteral("platform.dimensions[0].latency")}));
        // The design between, by itself.
        QCOMPARE(made.times[0], simulated(QStringLiteral("a.yaml|--set|platform.dimensions.0.bandwidth=100 GiB/s")));
        // What is read is what is seen: every number stands in the picture too.
        for (const QString& text : {QStringLiteral("41\u202f319.698"), QStringLiteral("\u221217\u202f089.842"), QStringLiteral("24\u202f229.856"), QStringLiteral("+2\u202f100.000"),
                                    QStringLiteral("26\u202f329.856"), QStringLiteral("\u221214\u202f989.842"), QStringLiteral("change, ns"), QStringLiteral("time, ns")})
            QVERIFY2(made.shown.contains(u'>' + text + QStringLiteral("</text>")), qPrintable(text));
        // A bar for each of the two designs and the two steps.
        QCOMPARE(made.shown.count(QStringLiteral("<rect")), qsizetype{4});
    }

    void figuresAndFieldsStandInTables()
    {
        const QString page = pageOf(QStringLiteral("b.yaml --compare a.yaml --sections comparison"));
        static const QRegularExpression step(QStringLiteral("<td><strong>Step time</strong></td><td class=\"n\"><strong>([^<]+)</strong></td><td class=\"n\"><strong>([^<]+)</strong></td>"
                                                            "<td class=\"n\"><strong>([^<]+)</strong></td><td class=\"n\"><strong>([^<]+)</strong></td>"));
        const auto match = step.match(page);
        QVERIFY2(match.hasMatch(), qPrintable(page.section(QStringLiteral("Slowest ranks"), 1).left(1500)));
        QCOMPARE(match.captured(1), QStringLiteral("41.320\u202f\u00b5s"));
        QCOMPARE(match.captured(2), QStringLiteral("26.330\u202f\u00b5s"));
        QCOMPARE(match.captured(3), QStringLiteral("\u221214.990\u202f\u00b5s"));
        QCOMPARE(match.captured(4), QStringLiteral("\u221236.3\u202f%"));
        QVERIFY(page.contains(QStringLiteral("<td>Exposed communication</td>")));
        QVERIFY(!page.contains(QStringLiteral("Lower bound"))); // Of steps none is known; of one collective it is:
        const QString bounded = pageOf(QStringLiteral("b1.yaml --compare a1.yaml --sections comparison"));
        for (const char* row : {"Lower bound", "Lower bound, of the step"})
            QVERIFY2(bounded.contains(QStringLiteral("<td>%1</td>").arg(QLatin1String(row))), row);
        QVERIFY(page.contains(QStringLiteral("<td>platform.dimensions[0].bandwidth</td><td>50 GiB/s</td><td>100 GiB/s</td>")));
        QVERIFY(page.contains(QStringLiteral("<td>platform.dimensions[0].latency</td><td>500 ns</td><td>650 ns</td>")));
        QVERIFY(!page.contains(QStringLiteral("Before comparing")));
    }

    void theAnswerNamesTheComparison()
    {
        const double a = static_cast<double>(simulated(QStringLiteral("a.yaml")));
        const double b = static_cast<double>(simulated(QStringLiteral("b.yaml")));
        const auto share = [](double part, double whole) { return QString::number(std::abs(part) / whole * 100, 'f', 1) + QStringLiteral("\u202f%"); };
        const QString faster = pageOf(QStringLiteral("b.yaml --compare a.yaml"));
        QVERIFY2(faster.contains(QStringLiteral("<strong>One step takes 26.330\u202f\u00b5s, %1 faster than A, ring (a.yaml), bound by ").arg(share(a - b, a))), qPrintable(faster.section(QStringLiteral("class=\"answer\""), 1).left(300)));
        QVERIFY(pageOf(QStringLiteral("a.yaml --compare b.yaml")).contains(QStringLiteral("<strong>One step takes 41.320\u202f\u00b5s, %1 slower than A, ring (b.yaml), ").arg(share(a - b, b))));
        QVERIFY(pageOf(QStringLiteral("a.yaml --compare a.yaml")).contains(QStringLiteral("\u00b5s, as long as A, ring (a.yaml), ")));
        QVERIFY(!pageOf(QStringLiteral("a.yaml")).contains(QStringLiteral("ring (a.yaml)")));
    }

    void withoutTheFlagNothingOfItIsThere()
    {
        const QString alone = pageOf(QStringLiteral("b.yaml"));
        QCOMPARE(alone.count(QStringLiteral("<h2>")), qsizetype{10});
        QVERIFY(!alone.contains(QStringLiteral("Comparison")) && !alone.contains(QStringLiteral("faster than")));
        const QString beside = pageOf(QStringLiteral("b.yaml --compare a.yaml"));
        QCOMPARE(beside.count(QStringLiteral("<h2>")), qsizetype{11});
        QVERIFY(beside.indexOf(QStringLiteral(">3 \u00a0Comparison</h2>")) > beside.indexOf(QStringLiteral(">2 \u00a0Results</h2>")));
        // Figures are counted through.
        static const QRegularExpression number(QStringLiteral("<strong>Figure (\\d+)\\.</strong>"));
        int figures = 0;
        for (auto match = number.globalMatch(beside); match.hasNext();)
            QCOMPARE(match.next().captured(1).toInt(), ++figures);
        QVERIFY(figures >= 4);
    }

    void theSameTwiceAndOfSavedRuns()
    {
        QCOMPARE(run(QStringLiteral("report b.yaml --compare a.yaml c.yaml --out one.html")).exit, 0);
        QCOMPARE(run(QStringLiteral("report b.yaml --compare a.yaml c.yaml --out two.html")).exit, 0);
        QVERIFY(bytesOf("one.html").size() > 10'000);
        QCOMPARE(bytesOf("two.html"), bytesOf("one.html"));
        for (const char* name : {"a", "b"})
            QCOMPARE(run(QStringLiteral("simulate %1.yaml --save %1.run").arg(QLatin1String(name))).exit, 0);
        QCOMPARE(run(QStringLiteral("report b.run --compare a.run c.yaml --out saved.html")).exit, 0);
        QCOMPARE(bytesOf("saved.html"), bytesOf("one.html"));
        QCOMPARE(run(QStringLiteral("report --compare a.yaml c.yaml --out order.html b.yaml")).exit, 0);
        QCOMPARE(bytesOf("order.html"), bytesOf("one.html"));
    }

    void designsBetweenSavedRunsAreDrawnAsTheRunsWere()
    {
        for (const auto& [name, bandwidth, latency] : {std::tuple{"da.yaml", "50", "500"}, {"db.yaml", "100", "650"}})
            QVERIFY(writeFile(path(name), ringDesign(bandwidth, latency) + "network: {jitter: {latency: {distribution: uniform, deviation: 0.25}}}\n"));
        for (const char* name : {"da", "db"})
            QCOMPARE(run(QStringLiteral("simulate %1.yaml --seed 7 --save %1.run").arg(QLatin1String(name))).exit, 0);
        QCOMPARE(run(QStringLiteral("simulate da.yaml --save plain.run")).exit, 0);
        QVERIFY(bytesOf("da.run").contains("\"seed\": \"7\"") && !bytesOf("plain.run").contains("\"seed\""));
        const qint64 between = simulated(QStringLiteral("da.yaml|--set|platform.dimensions.0.bandwidth=100 GiB/s|--seed|7"));
        QVERIFY(between > 0 && between != simulated(QStringLiteral("da.yaml|--set|platform.dimensions.0.bandwidth=100 GiB/s")));
        const QString page = pageOf(QStringLiteral("db.run --compare da.run"));
        const std::vector<ReadWaterfall> all = waterfallsOf(page);
        QVERIFY(all.size() == 1 && all[0].times.size() == 2);
        QCOMPARE(all[0].from, simulated(QStringLiteral("da.yaml|--seed|7")));
        QCOMPARE(all[0].times[0], between);
        QCOMPARE(brokenRule(all[0]), QString());
        QVERIFY(!page.contains(QStringLiteral("different seeds")));
        QVERIFY(pageOf(QStringLiteral("db.run --compare plain.run")).contains(QStringLiteral("A and B were run with different seeds; the designs between them with that of B.")));
        // What is no number is refused.
        auto document = nlohmann::ordered_json::parse(bytesOf("da.run").toStdString());
        document["design"]["seed"] = "-1";
        QVERIFY(writeFile(path("odd.run"), QByteArray::fromStdString(document.dump())));
        const CliResult odd = run(QStringLiteral("report db.run --compare odd.run --out x.html"));
        QVERIFY2(odd.exit == 2 && odd.err.contains("is not a seed"), odd.err.constData());
    }

    void threeDesignsHaveAWaterfallEach()
    {
        const QString page = pageOf(QStringLiteral("b.yaml --compare a.yaml c.yaml"));
        const std::vector<ReadWaterfall> all = waterfallsOf(page);
        QCOMPARE(all.size(), std::size_t{2});
        for (const ReadWaterfall& made : all) {
            QCOMPARE(brokenRule(made), QString());
            QCOMPARE(made.first, QStringLiteral("A ring (a.yaml)"));
            QCOMPARE(made.from, simulated(QStringLiteral("a.yaml")));
        }
        QCOMPARE(all[0].to, simulated(QStringLiteral("b.yaml")));
        QCOMPARE(all[1].last, QStringLiteral("C ring (c.yaml)"));
        QCOMPARE(all[1].title, QStringLiteral("Why C is slower than A"));
        QCOMPARE(all[1].to, simulated(QStringLiteral("c.yaml")));
        QVERIFY(page.contains(QStringLiteral("<th class=\"n\">B \u2212 A</th>")) && page.contains(QStringLiteral("<th class=\"n\">C \u2212 A</th>")));

        // The other one as the baseline.
        const QString other = pageOf(QStringLiteral("b.yaml --compare a.yaml c.yaml --baseline 2"));
        const std::vector<ReadWaterfall> turned = waterfallsOf(other);
        QCOMPARE(turned.size(), std::size_t{2});
        QCOMPARE(turned[0].first, QStringLiteral("A ring (c.yaml)"));
        QCOMPARE(turned[0].last, QStringLiteral("B ring (b.yaml)"));
        QCOMPARE(turned[1].last, QStringLiteral("C ring (a.yaml)"));
        QVERIFY(other.contains(QStringLiteral("faster than A, ring (c.yaml)")));
        for (const ReadWaterfall& made : turned)
            QCOMPARE(brokenRule(made), QString());
    }

    void whatIsHardToCompareIsSaid()
    {
        QVERIFY(writeFile(path("longer.yaml"), ringDesign("50", "500").replace("1 MiB", "2 MiB")));
        QVERIFY(writeFile(path("ideal.yaml"), ringDesign("50", "500").replace("name: links", "name: ideal")));
        const QString page = pageOf(QStringLiteral("a.yaml --compare longer.yaml ideal.yaml"));
        QVERIFY(page.contains(QStringLiteral("<span class=\"warn\">Warning</span></td><td>A and B run different workloads.</td>")));
        QVERIFY(page.contains(QStringLiteral("<td>A and C are of different models.</td>")));
        QVERIFY(!page.contains(QStringLiteral("A and B are of different models.")));
        for (const ReadWaterfall& made : waterfallsOf(page))
            QCOMPARE(brokenRule(made), QString());
    }

    void wrongUsageNamesWhatIsWrong_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const char* line, const char* says) { QTest::newRow(name) << QString::fromUtf8(line) << QByteArray(says); };
        row("missing file", "a.yaml --compare nowhere.yaml --out x.html", "nowhere.yaml");
        row("a broken second", "a.yaml --compare b.yaml broken.yaml --out x.html", "broken.yaml:2");
        row("four others", "a.yaml --compare b.yaml b.yaml b.yaml b.yaml --out x.html", "--compare");
        row("a baseline that is not there", "a.yaml --compare b.yaml c.yaml --baseline 3 --out x.html", "1 to 2");
        row("a baseline of nothing", "a.yaml --baseline 1 --out x.html", "--baseline is not used without --compare");
        row("no page", "a.yaml --compare b.yaml", "--compare is not used without --out");
        row("the section without the flag", "a.yaml --sections comparison --out x.html", "the section comparison is not there without --compare");
        row("the flag without the section", "a.yaml --compare b.yaml --sections links --out x.html", "--compare is not used without the section comparison");
    }

    void wrongUsageNamesWhatIsWrong()
    {
        QFETCH(QString, line);
        QFETCH(QByteArray, says);
        const CliResult result = run(QStringLiteral("report ") + line);
        QCOMPARE(result.exit, 2);
        QVERIFY2(result.err.contains(says), result.err.constData());
        QVERIFY(!QFile::exists(path("x.html")));
    }

    void noneOfTheOthersIsWritten()
    {
        QVERIFY(QFile::copy(path("b.yaml"), path("odd.html")));
        const QByteArray before = bytesOf("odd.html");
        const CliResult result = run(QStringLiteral("report a.yaml --compare odd.html --out odd.html"));
        QCOMPARE(result.exit, 2);
        QVERIFY2(result.err.contains("--compare") && result.err.contains("--out"), result.err.constData());
        QCOMPARE(bytesOf("odd.html"), before);
    }

    void asPdfToo()
    {
        const CliResult result = run(QStringLiteral("report b.yaml --compare a.yaml --sections comparison --out page.pdf"));
        if (!QFileInfo::exists(QFileInfo(QString::fromUtf8(kCliPath)).dir().filePath(QStringLiteral("../desktop/fabricscope")))) {
            // Under the sanitizers this room is built without the desktop program, which writes PDF.
            QCOMPARE(result.exit, 2);
            QVERIFY2(result.err.contains("not installed"), result.err.constData());
            QVERIFY(!QFile::exists(path("page.pdf")));
            return;
        }
        QVERIFY2(result.exit == 0, result.err.constData());
        QCOMPARE(run(QStringLiteral("report b.yaml --sections none --out alone.pdf")).exit, 0);
        QVERIFY(bytesOf("page.pdf").startsWith("%PDF") && bytesOf("page.pdf").size() > bytesOf("alone.pdf").size());
    }

    void aRunWithoutItsDesignCannotBeCompared()
    {
        QCOMPARE(run(QStringLiteral("collective --topology Ring(4) --bandwidth 50 --latency 500 --collective all_reduce --size 1MiB --save loose.run")).exit, 0);
        QByteArray text = bytesOf("loose.run");
        auto document = nlohmann::ordered_json::parse(text.toStdString()); // What comes first says what kind of file it is.
        QVERIFY(document["design"].contains("text"));
        document["design"]["text"] = "";
        QVERIFY(writeFile(path("loose.run"), QByteArray::fromStdString(document.dump())));
        const CliResult result = run(QStringLiteral("report a.yaml --compare loose.run --out x.html"));
        QCOMPARE(result.exit, 2);
        QVERIFY2(result.err.contains("cannot be compared"), result.err.constData());
        QVERIFY(!QFile::exists(path("x.html")));
    }
};

FABRICSCOPE_TEST(TestCliReportCompare)
#include "tst_cli_reportcompare.moc"
