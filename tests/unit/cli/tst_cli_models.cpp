// A model is one row of core/design/model.h: every list, check and menu says the same of it.
#include "core/design/model.h"
#include "sourcedir.h"
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QDirIterator>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

QByteArray bytes(std::string_view text)
{
    return QByteArray(text.data(), static_cast<qsizetype>(text.size()));
}

QByteArray sourceText(const QString& name)
{
    QFile file(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/") + name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// What `command` says of a design with a model, and how it ends.
CliResult runDesign(const char* command, std::string_view model, const QByteArray& sections)
{
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("d.yaml")));
    if (!file.open(QIODevice::WriteOnly))
        return {};
    file.write("fabricscope: 1\nmodel: {name: " + bytes(model) + "}\n" + sections);
    file.close();
    return runCli(QString::fromLatin1(command).split(QLatin1Char(' ')) << QStringLiteral("d.yaml"), folder.path());
}

} // namespace

class CliModelsTest : public QObject {
    Q_OBJECT

private slots:
    void aNameIsOneModelAndAModelOneRow()
    {
        std::set<Model> models;
        std::set<std::string_view> names;
        for (const ModelTraits& row : kModelRows) {
            QVERIFY(models.insert(row.model).second);
            QVERIFY(names.insert(row.name).second);
            QCOMPARE(&traitsOf(row.model), &row);
            QVERIFY(parseModel(row.name) == row.model);
            QCOMPARE(modelName(row.model), row.name);
            QVERIFY(!row.versions.front().empty() && !row.title.empty());
        }
        QCOMPARE(static_cast<int>(models.size()), static_cast<int>(Model::Flow) + 1);
        QVERIFY(!parseModel("Links") && !parseModel("") && !parseModel("astra"));
        QCOMPARE(modelList(), std::string("links, ideal, flow, astra-unaware or astra-aware"));
        QCOMPARE(modelsWith(&ModelTraits::stepping, "and"), std::string("links and ideal"));
    }

    void everyListNamesAllModelsInTheSameOrder()
    {
        const QByteArray all = "links, ideal, flow, astra-unaware or astra-aware";
        const QByteArray fabric = "--topology Ring(4) --bandwidth 50 --latency 500 --collective all_reduce --size 1MiB";
        for (const QByteArray& line : {"collective " + fabric + " --model nothing", "collective " + fabric + " --model Links"}) {
            const CliResult run = runCli(line.constData());
            QCOMPARE(run.exit, 2);
            QVERIFY2(run.err.contains(all), run.err);
        }
        const CliResult help = runCli("simulate --help");
        QVERIFY2(help.out.simplified().contains(all), help.out);
        const CliResult compared = runCli("compare d.yaml --models links,nothing");
        QVERIFY2(compared.err.contains("two of links, ideal, flow, astra-unaware and astra-aware"), compared.err);
        const CliResult section = runDesign("lint", "nothing", "platform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}\n");
        for (const ModelTraits& row : kModelRows)
            QVERIFY2(section.err.contains(bytes(row.name)) || section.out.contains(bytes(row.name)), section.err + section.out);
    }

    /// A row of commands.cpp is literal text, for translation.
    void theMenuHasEveryModelWithItsTitle()
    {
        const QByteArray commands = sourceText(QStringLiteral("app/desktop/commands.cpp"));
        for (const ModelTraits& row : kModelRows) {
            const qsizetype begin = commands.indexOf("{\"run." + bytes(row.name) + '"');
            QVERIFY2(begin >= 0, row.name.data());
            const QByteArray line = commands.mid(begin, commands.indexOf('\n', begin) - begin);
            QVERIFY2(line.contains('"' + bytes(row.title) + '"'), line);
        }
    }

    /// Each ability decides alone whether such a design passes; the refusal names the models that could.
    void aDesignPassesUnderTheModelsWithTheAbility_data()
    {
        QTest::addColumn<QByteArray>("command");
        QTest::addColumn<QByteArray>("sections");
        QTest::addColumn<QByteArray>("models");
        const QByteArray ring = "platform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}\n";
        const QByteArray reduce = "workload: {collective: all_reduce, size: 1 MiB}\n";
        QTest::newRow("anything") << QByteArray("simulate") << ring + reduce << QByteArray("links ideal flow astra-unaware astra-aware");
        QTest::newRow("stepping") << QByteArray("step --instance 0") << ring + reduce << QByteArray("links ideal");
        QTest::newRow("broadcasts") << QByteArray("simulate") << ring + "workload: {collective: broadcast, size: 1 MiB}\n" << QByteArray("links ideal");
        QTest::newRow("programs") << QByteArray("simulate") << ring + reduce + "collectives: {default: {algorithm: recursive_doubling}}\n" << QByteArray("links ideal flow");
        QTest::newRow("values") << QByteArray("simulate") << QByteArray("platform: {dimensions: [{shape: ring, size: 4, bandwidth: 9e9 GB/s, latency: 1 us}]}\n") + reduce
                                << QByteArray("astra-unaware astra-aware");
        QTest::newRow("graphs") << QByteArray("simulate")
                                << QByteArray("platform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}], overrides: {links: [{link: \"d0 2>1\", removed: true}]}}\n") + reduce
                                << QByteArray("links ideal flow");
    }

    void aDesignPassesUnderTheModelsWithTheAbility()
    {
        QFETCH(const QByteArray, command);
        QFETCH(const QByteArray, sections);
        QFETCH(const QByteArray, models);
        for (const ModelTraits& row : kModelRows) {
            const CliResult run = runDesign(command.constData(), row.name, sections);
            QVERIFY2((run.exit == 0) == models.split(' ').contains(bytes(row.name)), bytes(row.name) + ": " + run.err);
        }
    }

    void everyCommandReadsACollectiveTheSameWay_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<bool>("any");
        QTest::newRow("collective") << QByteArray("collective --topology Ring(4) --bandwidth 50 --latency 500 --size 1KiB --collective") << false;
        QTest::newRow("tune") << QByteArray("tune --topology Ring(4) --bandwidth 50 --latency 500 --sizes 1KiB --collective") << false;
        QTest::newRow("synthesize") << QByteArray("synthesize --topology Ring(4) --bandwidth 50 --latency 500 --size 1KiB --collective") << false;
        QTest::newRow("program") << QByteArray("program --algorithm ring --axes 4 --op") << true;
        QTest::newRow("verify") << QByteArray("verify --algorithm ring --axes 4 --op") << true;
        QTest::newRow("verify, claimed") << QByteArray("verify --algorithm ring --axes 4 --op all_gather --collective") << true;
    }

    void everyCommandReadsACollectiveTheSameWay()
    {
        QFETCH(const QByteArray, line);
        QFETCH(const bool, any);
        for (const char* const name : {"all_gather", "all-gather", "AllGather", "allgather", "ALL_GATHER"}) {
            const CliResult run = runCli((line + ' ' + name).constData());
            QVERIFY2(run.exit == 0, line + ' ' + name + ": " + run.err);
        }
        const CliResult refused = runCli((line + " al_gather").constData());
        QCOMPARE(refused.exit, 2);
        QVERIFY2(refused.err.contains("there is no collective \"al_gather\", did you mean \"all_gather\"?"), refused.err);
        QVERIFY2(refused.err.contains(any ? " or custom" : "reduce_scatter, all_"), refused.err);
        const CliResult other = runCli((line + " barriers").constData());
        QVERIFY2(other.err.contains("there is no collective \"barriers\""), other.err);
    }

    /// Whoever asks for the family instead of an ability has to be changed with every new model.
    void fewPlacesAskForTheFamily()
    {
        const QDir root(QStringLiteral(FABRICSCOPE_SOURCE_DIR));
        int lines = 0;
        for (const char* const part : {"core", "widgets", "app"}) {
            QDirIterator files(root.filePath(QString::fromLatin1(part)), {QStringLiteral("*.h"), QStringLiteral("*.cpp")}, QDir::Files, QDirIterator::Subdirectories);
            while (files.hasNext()) {
                for (const QByteArray& line : sourceText(root.relativeFilePath(files.next())).split('\n'))
                    lines += line.contains("isAstra(") ? 1 : 0;
            }
        }
        QVERIFY2(lines > 0 && lines <= 8, qPrintable(QString::number(lines)));
    }
};

FABRICSCOPE_TEST(CliModelsTest)
#include "tst_cli_models.moc"
