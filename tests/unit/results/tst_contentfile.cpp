// A report handed from one program to another.
#include "core/design/file/readdesign.h"
#include "core/insight/explainsection.h"
#include "core/report/contentfile.h"
#include "core/report/html.h"
#include "core/run/rundesign.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Two fast and two slow NPUs with a plan that is placed: all sections a report of one run has, and an explanation.
const char* const kHandedDesign = "fabricscope: 1\nname: Mixed\nplatform:\n  dimensions: [{shape: switch, size: 4, bandwidth: 12 GB/s, latency: 3 us}]\n  npu: {peak: 1 TFLOP/s, memory: 4 GB}\n"
                            "  overrides: {npus: [{npu: 0, peak: 3 TFLOP/s, memory: 8 GB}, {npu: 2, peak: 3 TFLOP/s, memory: 8 GB}]}\n"
                            "workload:\n  model:\n    transformer: {layers: 1, hidden: 64, heads: 4, ff: 256, vocab: 100, seq: 16}\n    train: {global_batch: 32}\n"
                            "    dtype: {param: fp32, act: fp32, grad: fp32}\n  plan: {placement: hap}\n";

ReportContent handedContentOf(const std::string& text)
{
    auto loaded = readDesignText(text, "mixed.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    const auto design = std::make_shared<const Design>(std::move(loaded.value().design));
    const auto run = runDesign(design, {}, {});
    const auto explanation = explainDesign(design, {}, {}, {});
    if (!run || !explanation)
        qFatal("it does not run");
    ReportSource source;
    source.summary = &run.value()->summary;
    source.scenario = run.value()->scenario;
    ReportContent content = reportContent(source);
    addExplanation(explanation.value(), content);
    content.paper = ReportPaper::Letter;
    content.show(ReportPart::Links, false);
    return content;
}

} // namespace

class TestContentFile : public QObject {
    Q_OBJECT

    ReportContent m_content;
    std::string m_text;

private slots:
    void initTestCase()
    {
        m_content = handedContentOf(kHandedDesign);
        m_text = contentFileText(m_content);
    }

    void allOfItComesBack()
    {
        QVERIFY(looksLikeContentFile(m_text));
        const Result<ReportContent> again = readContentFile(m_text);
        QVERIFY(again);
        QVERIFY(contentFileText(again.value()) == m_text);
        QVERIFY(reportHtml(again.value()) == reportHtml(m_content));
        QVERIFY(again.value().paper == ReportPaper::Letter);
        QCOMPARE(again.value().shownSections().size(), m_content.shownSections().size());
        const std::string page = reportHtml(again.value());
        QVERIFY(page.find("The critical path of the run takes") != std::string::npos);
        QVERIFY(page.find("DP-EV") != std::string::npos); // The placement is in it: nobody searches it again.
    }

    /// A part of it is none, nor is it with more behind it.
    void whatIsCutIsRefused()
    {
        for (std::size_t size = 0; size < m_text.size(); size += 1 + size / 16)
            QVERIFY2(!readContentFile(std::string_view(m_text).substr(0, size)), qPrintable(QString::number(size)));
        QVERIFY(!readContentFile(m_text + ' '));
        const Result<ReportContent> none = readContentFile("fabricscope: 1\n");
        QVERIFY(!none);
        QCOMPARE(none.error().code, ErrorCode::InvalidInput);
        QVERIFY(!looksLikeContentFile("fabricscope: 1\n"));
    }

    /// Whatever a byte becomes: refused, or a content that can be printed.
    void changedBytesDoNoHarm()
    {
        std::mt19937_64 random(seeded(41));
        const std::size_t mark = m_text.find('\n') + 1;
        for (int i = 0; i < cases(60, 20); ++i) {
            std::string changed = m_text;
            changed[mark + random() % std::min<std::size_t>(changed.size() - mark, 4000)] = static_cast<char>(random());
            if (const Result<ReportContent> content = readContentFile(changed))
                QVERIFY(content.value().sections.size() <= changed.size());
        }
    }
};

FABRICSCOPE_TEST(TestContentFile)
#include "tst_contentfile.moc"
