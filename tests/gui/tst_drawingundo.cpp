// Undo keeps what differs: exact for any two texts, small for edits of a drawing.
#include "tests/unit/support/testprogram.h"
#include "widgets/design/document.h"
#include "widgets/design/textchange.h"

#include <QtTest>

#include <random>

using namespace fabricscope;

namespace {

std::string drawing(int nodes, int moved, int from = 0)
{
    std::string text = "fabricscope: 1\nplatform:\n  nodes:\n";
    for (int i = from; i < nodes; ++i)
        text += "    - {name: npu" + std::to_string(i) + ", at: [" + std::to_string(i % 64 * 96 + (moved > 0 && i % (nodes / moved) == 0 ? 8 : 0)) + ", " + std::to_string(i / 64 * 96) + "]}\n";
    text += "    - {name: switch0, kind: switch, at: [0, -128]}\n  links:\n";
    for (int i = from; i < nodes; ++i)
        text += "    - {between: [npu" + std::to_string(i) + ", switch0], bandwidth: 50 GB/s, latency: 1 us}\n";
    return text + "workload: {collective: all_reduce, size: 1 MiB}\n";
}

void check(const std::string& before, const std::string& after)
{
    const TextChange change(before, after);
    QCOMPARE(change.applied(before), after);
    QCOMPARE(change.takenBack(after), before);
    QCOMPARE(change.isEmpty(), before == after);
}

} // namespace

class tst_drawingundo : public QObject
{
    Q_OBJECT
private slots:
    void anyTwoTextsLeadToOneAnother()
    {
        const std::string texts[] = {"", "\n", "a", "a\n", "a\nb\n", "b\na\n", "a\na\na\n", "a\nb\na\n", "x{1}{2}", "x{2}{1}y", "{1}\n{1}\n", "aa", "aaa", "\n\n\n", "b\n\nb\na\n"};
        for (const std::string& before : texts) {
            for (const std::string& after : texts)
                check(before, after);
        }
    }

    /// Of few different lines, so that many are alike; some are taken out, put in, exchanged.
    void randomTextsLeadToOneAnother()
    {
        std::mt19937 random(20250711);
        const auto below = [&](int most) { return static_cast<std::size_t>(random() % static_cast<unsigned>(most)); };
        for (int round = 0; round < 2000; ++round) {
            const std::string lines[] = {"\n", "a\n", "b\n", "c{d}", "{d}\n", "e" + std::to_string(round % 7) + "\n", "f", "g\r\n"};
            const auto make = [&] {
                std::vector<std::string> text;
                for (std::size_t i = below(12); i > 0; --i)
                    text.push_back(lines[below(8)]);
                return text;
            };
            const auto joined = [](const std::vector<std::string>& text) {
                std::string all;
                for (const std::string& line : text)
                    all += line;
                return all;
            };
            const std::vector<std::string> before = make();
            std::vector<std::string> after = before;
            for (std::size_t change = below(5); change > 0; --change) {
                const auto at = static_cast<std::ptrdiff_t>(below(static_cast<int>(after.size()) + 1));
                if (below(2) == 0)
                    after.insert(after.begin() + at, lines[below(8)]);
                else if (at < static_cast<std::ptrdiff_t>(after.size()))
                    after.erase(after.begin() + at);
            }
            check(joined(before), joined(after));
            check(joined(before), joined(make()));
        }
    }

    /// 100 of 4,096 parts are moved by 8 pixels: some digits of 100 lines, not the 200 KB between the first and the last.
    void whatStaysIsNotKept()
    {
        const TextChange moved(drawing(4096, 0), drawing(4096, 100));
        QVERIFY(!moved.isEmpty());
        QVERIFY2(moved.bytes() < 100 * 64, qPrintable(QString::number(moved.bytes())));
        // All of them: a few digits of every line, and where.
        const TextChange all(drawing(4096, 0), drawing(4096, 4096));
        QVERIFY2(all.bytes() < 4096 * 32, qPrintable(QString::number(all.bytes())));
        // The first part with its link: a line of nodes, a line of links.
        const TextChange removed(drawing(4096, 0), drawing(4096, 0, 1));
        QVERIFY2(removed.bytes() < 512, qPrintable(QString::number(removed.bytes())));
        // A thousand of them with theirs: 2 x 1000 lines of at most 80 bytes.
        const TextChange many(drawing(4096, 0), drawing(4096, 0, 1000));
        QVERIFY2(many.bytes() < 2 * 1000 * 80, qPrintable(QString::number(many.bytes())));
        // Items that share a line.
        std::string before = "nodes: [";
        std::string after = before;
        for (int i = 0; i < 1000; ++i) {
            before += "{name: n" + std::to_string(i) + ", at: [0, 0]}, ";
            after += "{name: n" + std::to_string(i) + (i == 0 || i == 999 ? ", at: [8, 0]}, " : ", at: [0, 0]}, ");
        }
        QVERIFY(TextChange(before + "]\n", after + "]\n").bytes() < 256);
        check(before, after);
    }

    /// So large that they are not compared line by line: kept whole, and as exact.
    void largeTextsLeadToOneAnotherToo()
    {
        const std::string large(std::size_t{9} << 20, 'x');
        check("a\n" + large + "\nb\n", "c\n" + large + "\nd\n");
        check(large + "\n", large.substr(1) + "y\n");
    }

    /// Steps that merge are one, and lead back to where the first began.
    void mergedStepsAreUndoneAndRedoneByByte()
    {
        DesignDocument document;
        const std::string start = drawing(8, 0);
        QVERIFY(document.setText(start, QStringLiteral("undo.yaml")));
        std::vector<std::string> texts{start};
        for (int step = 1; step <= 4; ++step) {
            QVERIFY(document.editText(QStringLiteral("drag"), drawing(8, step), QStringLiteral("drag")));
            texts.push_back(document.text());
        }
        QCOMPARE(document.undoStack().count(), 1);
        document.endMerge();
        QVERIFY(document.editText(QStringLiteral("other"), drawing(8, 0, 3)));
        document.undoStack().undo();
        QCOMPARE(document.text(), texts.back());
        document.undoStack().undo();
        QCOMPARE(document.text(), start);
        QVERIFY(!document.isModified());
        document.undoStack().redo();
        QCOMPARE(document.text(), texts.back());
        document.undoStack().redo();
        QCOMPARE(document.text(), drawing(8, 0, 3));
        // Back to where it began: no step is left.
        document.undoStack().setIndex(0);
        QVERIFY(document.editText(QStringLiteral("drag"), drawing(8, 2), QStringLiteral("drag")));
        QVERIFY(document.editText(QStringLiteral("drag"), start, QStringLiteral("drag")));
        QCOMPARE(document.undoStack().count(), 0);
    }
};

FABRICSCOPE_GUI_TEST(tst_drawingundo)
#include "tst_drawingundo.moc"
