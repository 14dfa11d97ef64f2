// What an editor offers at a place of a design, against the format: the words of the reference, and whether a design with them reads.
#include "core/base/files/textfile.h"
#include "core/design/design.h"
#include "core/design/file/fieldguide.h"
#include "core/yaml/tree.h"
#include "sourcedir.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>

using namespace fabricscope;

namespace {

/// A text with | where the cursor is.
struct Cursor {
    std::string text;
    std::size_t offset = 0;
};

Cursor cursorOf(const QByteArray& marked)
{
    Cursor cursor{QByteArray(marked).replace("|", "").toStdString(), static_cast<std::size_t>(marked.indexOf('|'))};
    return cursor;
}

QStringList wordsOf(const FieldChoices& found)
{
    QStringList words;
    for (const FieldChoice& choice : found.choices)
        words << QString::fromStdString(choice.word);
    return words;
}

const QByteArray kHead = "fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]\n";

/// Every entry of a tree with a byte inside its key.
void keysBelow(const YamlNode& node, const std::string& path, std::vector<std::pair<std::string, const YamlEntry*>>& found)
{
    for (const YamlEntry& entry : node.entries) {
        const std::string own = path.empty() ? entry.key : path + '.' + entry.key;
        found.emplace_back(own, &entry);
        keysBelow(entry.value, own, found);
    }
    for (std::size_t i = 0; i < node.items.size(); ++i)
        keysBelow(node.items[i], path + '[' + std::to_string(i) + ']', found);
}

} // namespace

class FieldGuideTest : public QObject {
    Q_OBJECT

private slots:
    void choices_data()
    {
        QTest::addColumn<QByteArray>("marked");
        QTest::addColumn<QStringList>("some"); ///< Among them.
        QTest::addColumn<QStringList>("none"); ///< Not among them.
        QTest::newRow("sections") << QByteArray(kHead + "wor|\n") << QStringList{"workload", "collectives"} << QStringList{"platform", "shape"};
        QTest::newRow("an empty file") << QByteArray("|") << QStringList{"fabricscope", "platform", "workload"} << QStringList{};
        QTest::newRow("a line below a section") << QByteArray(kHead + "workload:\n  |\n") << QStringList{"collective", "trace", "model", "plan"} << QStringList{"platform"};
        QTest::newRow("behind other keys") << QByteArray(kHead + "workload:\n  collective: all_reduce\n  si|\n") << QStringList{"size"} << QStringList{"collective"};
        QTest::newRow("in braces") << QByteArray("fabricscope: 1\nplatform: {dimensions: [{shape: ring, si|}]}\n") << QStringList{"size", "bandwidth", "latency"} << QStringList{"shape"};
        QTest::newRow("in open braces") << QByteArray("fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, la|\nworkload: {collective: all_reduce, size: 1 MiB}\n") << QStringList{"latency"} << QStringList{"shape"};
        QTest::newRow("a word") << QByteArray("fabricscope: 1\nplatform:\n  dimensions: [{shape: ri|, size: 4}]\n") << QStringList{"ring", "switch", "fully_connected"} << QStringList{"size"};
        QTest::newRow("a word where none is yet") << QByteArray(kHead + "workload:\n  collective: |\n  size: 1 MiB\n") << QStringList{"all_reduce", "all_gather"} << QStringList{"size"};
        QTest::newRow("an item") << QByteArray("fabricscope: 1\nplatform:\n  dimensions:\n    - shape: ring\n      b|\n") << QStringList{"bandwidth"} << QStringList{"shape"};
        QTest::newRow("words of a list") << QByteArray(kHead + "search: {vary: [tensor, pi|]}\n") << QStringList{"pipeline", "npus"} << QStringList{"vary"};
        QTest::newRow("a unit") << QByteArray("fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, size: 4, bandwidth: 50 G|}]\n") << QStringList{"GB/s", "Gbit/s"} << QStringList{"us", "GiB"};
        QTest::newRow("a unit at its number") << QByteArray("fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, size: 4, latency: 1.5u|}]\n") << QStringList{"us", "ns"} << QStringList{"GB/s"};
        QTest::newRow("a key that is there") << QByteArray("fabricscope: 1\nplatform:\n  dimensions: [{sha|pe: ring, size: 4}]\n") << QStringList{"shape", "bandwidth"} << QStringList{"size"};
        QTest::newRow("a comment") << QByteArray(kHead + "# wor|\n") << QStringList{} << QStringList{"workload"};
        QTest::newRow("a text") << QByteArray(kHead + "name: \"wor|\"\n") << QStringList{} << QStringList{"workload"};
        QTest::newRow("a number") << QByteArray("fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, size: 4|}]\n") << QStringList{} << QStringList{"us"};
    }
    void choices()
    {
        QFETCH(const QByteArray, marked);
        QFETCH(const QStringList, some);
        QFETCH(const QStringList, none);
        const Cursor cursor = cursorOf(marked);
        const QStringList words = wordsOf(choicesAt(cursor.text, cursor.offset));
        for (const QString& word : some)
            QVERIFY2(words.contains(word), qPrintable(word + ": " + words.join(' ')));
        for (const QString& word : none)
            QVERIFY2(!words.contains(word), qPrintable(word + ": " + words.join(' ')));
        QCOMPARE(QSet<QString>(words.begin(), words.end()).size(), words.size());
    }

    void whatIsReplacedIsTheWord()
    {
        const Cursor cursor = cursorOf(kHead + "workload:\n  colle|ct\n");
        const FieldChoices found = choicesAt(cursor.text, cursor.offset);
        QCOMPARE(cursor.text.substr(found.begin, found.end - found.begin), std::string("collect"));
        const Cursor unit = cursorOf("fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, size: 4, latency: 1.5u|}]\n");
        const FieldChoices units = choicesAt(unit.text, unit.offset);
        QCOMPARE(unit.text.substr(units.begin, units.end - units.begin), std::string("u"));
    }

    /// Every key of the reference is offered where it stands, and every word that is offered for a value reads there.
    void theReferenceIsOffered()
    {
        const auto text = readTextFile(FABRICSCOPE_SOURCE_DIR "/resources/examples/reference.yaml");
        QVERIFY(text);
        const auto document = YamlDocument::parse(text.value());
        QVERIFY(document);
        std::vector<std::pair<std::string, const YamlEntry*>> keys;
        keysBelow(document.value().root(), {}, keys);
        QVERIFY(keys.size() > 150);
        std::size_t known = 0;
        for (const auto& [path, entry] : keys) {
            if (entry->value.shared)
                continue;
            const FieldChoices found = choicesAt(text.value(), entry->keyBegin + 1);
            const QStringList words = wordsOf(found);
            known += words.contains(QString::fromStdString(entry->key)) ? 1 : 0;
            QVERIFY2(words.isEmpty() || words.contains(QString::fromStdString(entry->key)), (path + ": " + words.join(' ').toStdString()).c_str());
            for (const FieldChoice& choice : found.choices)
                QVERIFY(!choice.isKey); // The colon is there.
        }
        // Names that a design chooses itself are no keys of the format.
        QVERIFY2(known * 100 >= keys.size() * 95, qPrintable(QStringLiteral("%1 of %2").arg(known).arg(keys.size())));
    }

    void wordsThatAreOfferedRead()
    {
        const QByteArray marked = "fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]\nworkload: {collective: |, size: 1 MiB}\n";
        const Cursor cursor = cursorOf(marked);
        const FieldChoices found = choicesAt(cursor.text, cursor.offset);
        QVERIFY(found.choices.size() >= 5);
        for (const FieldChoice& choice : found.choices) {
            std::string text = cursor.text;
            text.replace(found.begin, found.end - found.begin, choice.word);
            const auto read = readDesignText(text, "d.yaml");
            QVERIFY2(read, read ? "" : read.error().text().c_str());
        }
    }

    void unitsAreThoseOfTheMeasure()
    {
        for (const Measure measure : {Measure::Time, Measure::Size, Measure::Bandwidth, Measure::Operations, Measure::ComputeRate}) {
            QVERIFY(unitWords(measure).size() >= 3);
            for (const std::string_view unit : unitWords(measure))
                QVERIFY2(parseQuantity("2 " + std::string(unit), measure), std::string(unit).c_str());
        }
        QVERIFY(unitWords(Measure::Count).empty());
    }

    void meanings()
    {
        const std::string text = "fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]\nworkload: {collective: all_reduce, size: 1 MiB}\nsearch: {vary: [tensor]}\n";
        const auto at = [&](const std::string& word, std::size_t more = 0) { return meaningAt(text, text.find(word) + more); };
        const auto latency = at("latency");
        QVERIFY(latency);
        QCOMPARE(latency->path, std::string("platform.dimensions[0].latency"));
        QVERIFY(!latency->text.empty());
        QCOMPARE(latency->expected, std::string("a time such as 500 ns, 2.5 us or 1 ms"));
        // On the value it is the same field.
        QCOMPARE(at("1 us")->path, latency->path);
        const auto shape = at("ring");
        QCOMPARE(shape->path, std::string("platform.dimensions[0].shape"));
        QVERIFY2(shape->expected.starts_with("one of ") && shape->expected.find("fully_connected") != std::string::npos, shape->expected.c_str());
        const auto vary = at("tensor");
        QCOMPARE(vary->path, std::string("search.vary"));
        QVERIFY(vary->expected.find("pipeline") != std::string::npos);
        QVERIFY(!meaningAt(text, text.size() + 100));
        QVERIFY(!meaningAt("a: [", 1));
    }

    /// No text and no place is too odd.
    void anyTextIsTaken()
    {
        const std::string text = kHead.toStdString() + "workload:\n  collective: all_reduce # \"x\n  size: [1 MiB, {a: 'b\n";
        for (std::size_t length = 0; length <= text.size(); ++length) {
            const std::string part = text.substr(0, length);
            const FieldChoices found = choicesAt(part, length);
            QVERIFY(found.begin <= found.end && found.end <= part.size());
            (void)meaningAt(part, length / 2);
        }
    }
};

FABRICSCOPE_TEST(FieldGuideTest)
#include "tst_fieldguide.moc"
