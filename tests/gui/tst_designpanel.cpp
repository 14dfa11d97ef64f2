#include "tests/gui/support/patience.h"
#include "tests/gui/support/withtheme.h"
// The design dock: every widget edits one document, and shows what the document says.
#include "core/design/linknames.h"
#include "tests/gui/support/pictures.h"
#include "tests/gui/support/designdock.h"
#include "widgets/design/editactions.h"
#include "widgets/design/issuesmodel.h"
#include "tests/unit/support/testprogram.h"

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QApplication>
#include <QLineEdit>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTimer>
#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;
using namespace Qt::Literals::StringLiterals;

namespace {

/// Links of a platform by the formulas of the shapes: ring 2 per NPU (1 for two, 0 for one), all to all n-1, switch one up and one down.
std::int64_t linksByFormula(const std::vector<Dimension>& dimensions)
{
    std::int64_t npus = 1;
    std::int64_t perNpu = 0;
    for (const Dimension& d : dimensions) {
        npus *= d.size;
        if (d.size > 1)
            perNpu += d.shape == Shape::FullyConnected ? d.size - 1 : d.shape == Shape::Switch ? 2 : d.size == 2 ? 1 : 2;
    }
    return npus * perNpu;
}

void collectUnnamed(QWidget* widget, QStringList& names)
{
    for (QWidget* child : widget->findChildren<QWidget*>()) {
        if (!child->isVisible() || (child->focusPolicy() & Qt::TabFocus) == 0 || child->focusProxy())
            continue;
        QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(child);
        if (!accessible || accessible->text(QAccessible::Name).isEmpty())
            names << QString::fromLatin1(child->metaObject()->className()) + QLatin1Char(' ') + child->objectName();
    }
}

} // namespace

class tst_designpanel : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        QLocale::setDefault(QLocale::c());
        AppTheme::global().set(Theme());
    }

    void E1_theTableShowsTypedAndDerivedBandwidth()
    {
        Dock dock;
        new QAbstractItemModelTester(dock.view().dimensions(), QAbstractItemModelTester::FailureReportingMode::Fatal, this);
        QCOMPARE(dock.view().dimensions()->rowCount(), 3);
        QCOMPARE(dock.shown(0, DimensionModel::Chip), QStringLiteral("D0"));
        QCOMPARE(dock.shown(0, DimensionModel::ShapeColumn), QStringLiteral("Fully connected"));
        QCOMPARE(dock.shown(0, DimensionModel::Size), QStringLiteral("8"));
        QCOMPARE(dock.shown(0, DimensionModel::PerLink), QStringLiteral("64.3")); // 450 / 7
        QCOMPARE(dock.shown(0, DimensionModel::PerNpu), QStringLiteral("450"));
        QCOMPARE(dock.shown(0, DimensionModel::Latency), QStringLiteral("0.70"));
        QCOMPARE(dock.shown(1, DimensionModel::PerLink), QStringLiteral("50"));
        QCOMPARE(dock.shown(1, DimensionModel::PerNpu), QStringLiteral("100")); // two links
        QCOMPARE(dock.shown(2, DimensionModel::PerNpu), QStringLiteral("20"));
        QVERIFY(dock.cell(0, DimensionModel::PerLink).data(DimensionModel::DerivedRole).toBool());
        QVERIFY(!dock.cell(0, DimensionModel::PerNpu).data(DimensionModel::DerivedRole).toBool());
        QVERIFY(dock.cell(1, DimensionModel::PerNpu).data(DimensionModel::DerivedRole).toBool());
    }

    /// Of a figure that cannot be read nothing is derived; the table is painted all the same.
    void E1_aBandwidthThatIsNotOneIsShownBesideTheOthers()
    {
        Dock dock;
        std::string text = kPod;
        text.replace(text.find("20 GB/s"), 7, "20 GXB/s");
        QVERIFY(dock.document.editText(u"unit"_s, text));
        QCOMPARE(dock.view().dimensions()->rowCount(), 3);
        QCOMPARE(dock.shown(2, DimensionModel::PerLink), u"20 GXB/s"_s);
        QCOMPARE(dock.shown(2, DimensionModel::PerNpu), u"–"_s);
        QCOMPARE(dock.shown(1, DimensionModel::PerNpu), u"100"_s);
        QVERIFY(!dock.cell(2, DimensionModel::PerLink).data(DimensionModel::ProblemRole).toString().isEmpty());
        QVERIFY(!dock.view().grab().isNull());
    }

    /// The table of a text that is no YAML shows what was last read; nothing opens that could not be written.
    void E1_noCellOpensWhileTheTextCannotBeRead()
    {
        Dock dock;
        QVERIFY(dock.document.editText(u"broken"_s, kPod + "\n  - [\n"));
        QVERIFY(!dock.document.yaml());
        const QModelIndex cell = dock.cell(1, DimensionModel::PerLink);
        QTest::failOnWarning(QRegularExpression(u"editing failed"_s));
        dock.view().editCell(cell);
        QTest::keyClick(&dock.view(), Qt::Key_Return);
        QCOMPARE(dock.view().currentIndex(), cell);
        QVERIFY(!dock.view().isPersistentEditorOpen(cell));
    }

    void E1_aClickOnTheSelectedRowOpensItsCellUnlessThatIsGoneByThen()
    {
        Dock dock;
        const int usual = QApplication::doubleClickInterval();
        QApplication::setDoubleClickInterval(50);
        const auto click = [&dock] {
            const QModelIndex cell = dock.cell(1, DimensionModel::PerLink);
            dock.view().selectDimension(1);
            QTest::mouseClick(dock.view().viewport(), Qt::LeftButton, {}, dock.view().visualRect(cell).center());
            return cell;
        };
        QTest::failOnWarning(QRegularExpression(u"^edit: "_s));
        click();
        QVERIFY(dock.document.editText(u"broken"_s, kPod + "\n  - [\n"));
        bool over = false; // Begun after the one of the click, and as long.
        QTimer::singleShot(50, this, [&over] { over = true; });
        QTRY_VERIFY(over);
        QVERIFY(!dock.view().viewport()->findChild<QLineEdit*>());
        dock.document.undoStack().undo();
        click();
        QTRY_VERIFY(dock.view().viewport()->findChild<QLineEdit*>());
        QApplication::setDoubleClickInterval(usual);
    }

    void E1_typingIntoACellEditsTheTextAndNothingElse()
    {
        Dock dock;
        dock.type(2, DimensionModel::PerLink, "400 Gbps");
        std::string expected = kPod;
        expected.replace(expected.find("20 GB/s"), 7, "400 Gbps");
        QCOMPARE(dock.document.text(), expected);
        QCOMPARE(dock.shown(2, DimensionModel::PerLink), QStringLiteral("50"));
        QCOMPARE(dock.document.undoStack().count(), 1);
        QVERIFY(dock.document.undoStack().undoText().startsWith(u"D2 bandwidth 400"_s));
        dock.type(1, DimensionModel::Size, "6");
        QCOMPARE(dock.dimension(1).size, 6);
        dock.type(1, DimensionModel::Latency, "0.5");
        QCOMPARE(dock.dimension(1).latency, (Quantity{0.5, "us", Measure::Time}));
        QCOMPARE(dock.document.undoStack().count(), 3);
        dock.document.undoStack().setIndex(0);
        QCOMPARE(dock.document.text(), kPod);
    }

    void E1_editingTheDerivedBandwidthMakesItTheGivenOne()
    {
        Dock dock;
        dock.type(0, DimensionModel::PerLink, "70");
        QVERIFY(!dock.dimension(0).bandwidthIsPerNpu);
        QCOMPARE(dock.dimension(0).bandwidth, (Quantity{70, "GB/s", Measure::Bandwidth}));
        QCOMPARE(dock.shown(0, DimensionModel::PerNpu), QStringLiteral("490")); // 70 * 7
        QVERIFY(dock.document.text().find("{shape: fully_connected, size: 8, bandwidth: 70 GB/s, latency: 700 ns}   # NVLink") != std::string::npos);
        // Opened and left as it was: the derived one stays derived.
        dock.view().setCurrentIndex(dock.cell(1, DimensionModel::PerNpu));
        QTest::keyClick(&dock.view(), Qt::Key_Return);
        dock.take(Qt::Key_Return);
        QVERIFY(!dock.dimension(1).bandwidthIsPerNpu);
        QCOMPARE(dock.document.undoStack().count(), 1);
    }

    void E1_countsFollowTheFormulas()
    {
        Dock dock;
        QLabel* line = nullptr;
        for (QLabel* label : part<DimensionTable>(dock.panel).findChildren<QLabel*>())
            line = label->accessibleName() == u"Counts"_s ? label : line;
        QVERIFY(line);
        QCOMPARE(plain(line->text()), QString::fromUtf8("128 NPUs · 1408 links · 32 switches")); // 896 + 256 + 256; 128 / 4
        dock.type(2, DimensionModel::Size, "2");
        QCOMPARE(plain(line->text()), QString::fromUtf8("64 NPUs · 704 links · 32 switches")); // 64 * (7 + 2 + 2)
        QRandomGenerator random(5);
        for (int i = 0; i < 60; ++i) {
            PlatformSpec spec;
            std::int64_t npus = 1;
            std::int64_t switches = 0;
            for (int d = 1 + static_cast<int>(random.bounded(3)); d > 0; --d) {
                Dimension dimension{static_cast<Shape>(random.bounded(3)), static_cast<std::int32_t>(1 + random.bounded(6)), {1, "GB/s", Measure::Bandwidth}, false, {1, "us", Measure::Time}};
                npus *= dimension.size;
                spec.dimensions.push_back(dimension);
            }
            for (const Dimension& dimension : spec.dimensions)
                switches += dimension.shape == Shape::Switch && dimension.size > 1 ? npus / dimension.size : 0;
            QString expected = QString::number(npus) + (npus == 1 ? u" NPU"_s : u" NPUs"_s);
            const std::int64_t links = linksByFormula(spec.dimensions);
            expected += QString::fromUtf8(" · ") + QString::number(links) + (links == 1 ? u" link"_s : u" links"_s);
            if (switches > 0)
                expected += QString::fromUtf8(" · ") + QString::number(switches) + (switches == 1 ? u" switch"_s : u" switches"_s);
            QCOMPARE(plain(DimensionTable::summary(Platform::create(spec).value())), expected);
        }
    }

    void E1_addRemoveAndReorderByKeysAndPointer()
    {
        Dock dock;
        QPushButton* add = part<DimensionTable>(dock.panel).findChild<QPushButton*>();
        QTest::mouseClick(add, Qt::LeftButton);
        QCOMPARE(dock.view().dimensions()->rowCount(), 4);
        QCOMPARE(dock.panel.selectedDimension(), 3);
        QCOMPARE(dock.document.platform()->npuCount(), 256);
        QTest::keyClick(&dock.view(), Qt::Key_Delete);
        QCOMPARE(dock.document.text().find("size: 2"), std::string::npos);
        QCOMPARE(dock.document.platform()->npuCount(), 128);

        dock.panel.selectDimension(2);
        QTest::keyClick(&dock.view(), Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(dock.dimension(1).shape, Shape::Switch);
        QCOMPARE(dock.panel.selectedDimension(), 1);
        // NPU 37 = (5, 0, 1) is 5 + 8 * 1 = 13 now; its link is one of D1.
        QVERIFY(dock.document.text().find("{link: d1 13>switch, bandwidth: 10 GB/s}") != std::string::npos);
        QVERIFY(dock.document.text().find("dimensions: [2, 1]") != std::string::npos);
        QTest::keyClick(&dock.view(), Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(dock.dimension(2).shape, Shape::Switch);

        // The chip of D0 dragged onto D2.
        QWidget* port = dock.view().viewport();
        const QPoint from = dock.view().visualRect(dock.cell(0, DimensionModel::Chip)).center();
        const QPoint to = dock.view().visualRect(dock.cell(2, DimensionModel::Chip)).center();
        QTest::mousePress(port, Qt::LeftButton, {}, from);
        for (const QPoint& at : {from + QPoint(0, 30), to}) {
            QMouseEvent move(QEvent::MouseMove, at, port->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(port, &move);
        }
        QTest::mouseRelease(port, Qt::LeftButton, {}, to);
        QCOMPARE(dock.dimension(2).shape, Shape::FullyConnected);
        QCOMPARE(dock.dimension(0).shape, Shape::Ring);
        QVERIFY(!dock.document.hasErrors());
        dock.document.undoStack().setIndex(0);
        QCOMPARE(dock.document.text(), kPod);
    }

    void E1_removingADimensionSaysWhatWentWithIt()
    {
        Dock dock;
        dock.panel.selectDimension(2);
        dock.view().setFocus();
        QTest::keyClick(&dock.view(), Qt::Key_Delete);
        QCOMPARE(dock.document.platform()->npuCount(), 32);
        QVERIFY2(dock.document.undoStack().undoText().contains(u"without d2 37>switch"_s), qPrintable(dock.document.undoStack().undoText()));
        QCOMPARE(part<OverridesModel>(dock.panel).rowCount(), 0);
        dock.document.undoStack().undo();
        QCOMPARE(part<OverridesModel>(dock.panel).rowCount(), 1);
    }

    void E2_undoToTheStartEqualsTheLoadedFile()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(u"pod.yaml"_s);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QByteArray bytes = QByteArray::fromStdString(kPod);
        bytes.replace("\n", "\r\n");
        file.write(bytes);
        file.close();
        QRandomGenerator random(99);
        for (int run = 0; run < 6; ++run) {
            DesignDocument document;
            QVERIFY(document.open(path));
            std::vector<std::string> states{document.text()};
            for (int i = 0; i < 60; ++i) {
                const int count = static_cast<int>(document.design()->platform->dimensions.size());
                const int at = static_cast<int>(random.bounded(count));
                const Quantity rate{1.0 + static_cast<double>(random.bounded(800)), "GB/s", Measure::Bandwidth};
                const LinkId link = random.bounded(static_cast<int>(std::max<LinkId>(1, document.platform()->linkCount())));
                const NodeId npu = random.bounded(document.platform()->npuCount());
                const bool links = document.platform()->linkCount() > 0;
                const int before = document.undoStack().index();
                switch (random.bounded(12)) {
                case 0: static_cast<void>(DesignActions::addDimension(document, static_cast<int>(random.bounded(count + 1)))); break;
                case 1: static_cast<void>(DesignActions::removeDimension(document, at)); break;
                case 2: static_cast<void>(DesignActions::moveDimension(document, at, static_cast<int>(random.bounded(count)))); break;
                case 3: static_cast<void>(DesignActions::setShape(document, at, static_cast<Shape>(random.bounded(3)))); break;
                case 4: static_cast<void>(DesignActions::setSize(document, at, static_cast<std::int32_t>(1 + random.bounded(5)))); break;
                case 5: static_cast<void>(DesignActions::setBandwidth(document, at, rate, random.bounded(2) == 0)); break;
                case 6: static_cast<void>(DesignActions::setLatency(document, at, {1.0 + static_cast<double>(random.bounded(900)), "ns", Measure::Time})); break;
                case 7:
                    if (links)
                        static_cast<void>(DesignActions::setLinkBandwidth(document, link, rate));
                    break;
                case 8: static_cast<void>(DesignActions::setNpuSpeed(document, npu, 0.25 * static_cast<double>(1 + random.bounded(7)))); break;
                case 9: static_cast<void>(DesignActions::setNpuField(document, "peak", {static_cast<double>(1 + random.bounded(999)), "TFLOP/s", Measure::ComputeRate})); break;
                case 10: static_cast<void>(DesignActions::setChunks(document, static_cast<std::int32_t>(1 + random.bounded(16)))); break;
                default: static_cast<void>(DesignActions::setQuestion(document, QStringLiteral("What about %1?\nAnd then?").arg(random.bounded(50)))); break;
                }
                QVERIFY(document.yaml());
                if (document.undoStack().index() != before)
                    states.push_back(document.text());
            }
            QVERIFY(states.size() > 30);
            for (std::size_t i = states.size(); i-- > 0;) {
                QCOMPARE(document.text(), states[i]);
                document.undoStack().undo();
            }
            QCOMPARE(QByteArray::fromStdString(document.text()), bytes);
            QVERIFY(!document.isModified());
        }
    }

    void E2_aSliderDragIsOneStepWithItsGhostAndWas()
    {
        Dock dock;
        dock.panel.selectDimension(2);
        LogSlider* slider = &tagged<LogSlider>(dock.panel, "bandwidth");
        QCOMPARE(slider->value(), 20.0);
        QVERIFY(named<QLabel>(dock.panel, "Value before").text().isEmpty());
        const int y = slider->height() / 2;
        QTest::mousePress(slider, Qt::LeftButton, {}, QPoint(static_cast<int>(slider->position(20)), y));
        for (const double target : {22.0, 30.0, 25.0}) {
            const QPoint at(static_cast<int>(std::lround(slider->position(target))), y);
            QMouseEvent move(QEvent::MouseMove, at, slider->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(slider, &move);
        }
        QTest::mouseRelease(slider, Qt::LeftButton, {}, QPoint(static_cast<int>(std::lround(slider->position(25))), y));
        QCOMPARE(dock.document.undoStack().count(), 1);
        QCOMPARE(dock.dimension(2).bandwidth.text(), std::string("25 GB/s"));
        QCOMPARE(plain(named<QLabel>(dock.panel, "Value before").text()), QStringLiteral("was 20GB/s"));
        QCOMPARE(slider->ghost(), std::optional<double>(20));
        dock.document.undoStack().undo();
        QCOMPARE(dock.document.text(), kPod);
        QCOMPARE(slider->value(), 20.0);
    }

    void anElementIsEditedRemovedRestoredAndReset()
    {
        Dock dock;
        const LinkId link = *findLink(*dock.document.platform(), "d2 5>switch");
        dock.panel.selectLink(link);
        QCOMPARE(dock.panel.selectedDimension(), 2);
        ElementEditor* element = &part<ElementEditor>(dock.panel);
        QVERIFY(element->isVisible());
        QVERIFY(!tagged<QPushButton>(*element, "reset").isEnabled());
        element->bandwidthField()->setFocus();
        QTest::keyClick(element->bandwidthField()->lineEdit(), Qt::Key_Down);
        QTest::keyClick(element->bandwidthField()->lineEdit(), Qt::Key_Down);
        QTest::keyClick(element->bandwidthField()->lineEdit(), Qt::Key_Return);
        QCOMPARE(dock.document.undoStack().count(), 1);
        QCOMPARE(dock.document.platform()->bandwidth(link).bytesPerSecond, 18'000'000'000);
        QCOMPARE(part<OverridesModel>(dock.panel).rowCount(), 2);
        QTest::mouseClick(&tagged<QPushButton>(*element, "remove"), Qt::LeftButton);
        QVERIFY(DesignActions::isLinkRemoved(dock.document, "d2 5>switch"));
        QCOMPARE(tagged<QPushButton>(*element, "remove").text(), QStringLiteral("Restore"));
        QTest::mouseClick(&tagged<QPushButton>(*element, "remove"), Qt::LeftButton);
        QVERIFY(!DesignActions::isLinkRemoved(dock.document, "d2 5>switch"));
        QTest::mouseClick(&tagged<QPushButton>(*element, "reset"), Qt::LeftButton);
        QCOMPARE(dock.document.text(), kPod);

        dock.panel.selectNpu(9);
        element->speedField()->setFocus();
        element->speedField()->lineEdit()->selectAll();
        QTest::keyClicks(element->speedField()->lineEdit(), u"0.5"_s);
        QTest::keyClick(element->speedField()->lineEdit(), Qt::Key_Return);
        QCOMPARE(dock.document.platform()->speed(9), 0.5);
        dock.document.undoStack().setIndex(0);
        QCOMPARE(dock.document.text(), kPod);
    }

    void overridesAreListedWithTheirChange()
    {
        Dock dock;
        OverridesModel* model = &part<OverridesModel>(dock.panel);
        new QAbstractItemModelTester(model, QAbstractItemModelTester::FailureReportingMode::Fatal, this);
        QCOMPARE(model->index(0, OverridesModel::Name).data().toString(), QString::fromUtf8("37 → D2 switch"));
        QCOMPARE(plain(model->index(0, OverridesModel::Value).data().toString()), QStringLiteral("10GB/s"));
        QCOMPARE(plain(model->index(0, OverridesModel::Change).data().toString()), QString::fromUtf8("−50%")); // 10 of 20
        QSignalSpy selected(&dock.panel, &DesignPanel::elementSelected);
        named<QTableView>(dock.panel, "Overrides").setCurrentIndex(model->index(0, 0));
        QCOMPARE(selected.count(), 1);
        QCOMPARE(part<ElementEditor>(dock.panel).link(), *findLink(*dock.document.platform(), "d2 37>switch"));
        named<QTableView>(dock.panel, "Overrides").setFocus();
        QTest::keyClick(&named<QTableView>(dock.panel, "Overrides"), Qt::Key_Delete);
        QCOMPARE(model->rowCount(), 0);
        QVERIFY(dock.document.text().find("overrides") == std::string::npos);
        dock.document.undoStack().undo();
        QCOMPARE(dock.document.text(), kPod);
        QVERIFY(DesignActions::setNpuSpeed(dock.document, 3, 1.1));
        QCOMPARE(plain(model->index(1, OverridesModel::Change).data().toString()), QStringLiteral("+10%"));
    }

    void theFastestAlgorithmTakesThePlaceOfThoseOfDimensions()
    {
        Dock dock;
        auto& facts = part<CollectiveFacts>(dock.panel);
        QVERIFY(facts.algorithm(0)->isVisibleTo(&facts));
        const auto choose = [&facts](const QString& text) {
            facts.ofAll()->setFocus();
            facts.ofAll()->setCurrentIndex(facts.ofAll()->findText(text));
            emit facts.ofAll()->activated(facts.ofAll()->currentIndex());
        };
        choose(u"By dimension"_s);
        QCOMPARE(dock.document.undoStack().count(), 0);
        choose(u"Fastest"_s);
        QVERIFY(dock.document.design()->collectives.defaults.program.choose);
        QVERIFY(!facts.algorithm(0)->isVisibleTo(&facts));
        QCOMPARE(dock.document.undoStack().count(), 1);
        dock.document.undoStack().undo();
        QCOMPARE(dock.document.text(), kPod);
        QCOMPARE(facts.ofAll()->currentText(), u"By dimension"_s);
        QVERIFY(facts.algorithm(0)->isVisibleTo(&facts));
        QVERIFY(dock.document.edit(u"generator"_s, [](YamlDocument& yaml) { return yaml.set("collectives.default.algorithm", std::string("torus_bucket")); }));
        QCOMPARE(facts.ofAll()->currentText(), u"torus_bucket"_s);
        choose(u"By dimension"_s);
        QVERIFY(dock.document.design()->collectives.defaults.program == ProgramChoice{});
    }

    void collectivesAndQuestionEditTheDocument()
    {
        Dock dock;
        QComboBox* box = part<CollectiveFacts>(dock.panel).algorithm(1);
        box->setFocus();
        box->setCurrentIndex(box->findData(u"ring"_s));
        emit box->activated(box->currentIndex());
        const auto& algorithms = dock.document.design()->collectives.defaults.algorithms;
        QCOMPARE(algorithms.size(), std::size_t{3});
        QVERIFY(algorithms[0].automatic && algorithms[2].automatic);
        QCOMPARE(algorithms[1], (AlgorithmChoice{false, Algorithm::Ring, 0}));
        part<CollectiveFacts>(dock.panel).chunks()->setFocus();
        QTest::keyClick(part<CollectiveFacts>(dock.panel).chunks()->lineEdit(), Qt::Key_Up);
        QTest::keyClick(part<CollectiveFacts>(dock.panel).chunks()->lineEdit(), Qt::Key_Return);
        QCOMPARE(dock.document.design()->collectives.defaults.chunks, 5);
        part<QuestionEdit>(dock.panel).setFocus();
        part<QuestionEdit>(dock.panel).selectAll();
        QTest::keyClicks(&part<QuestionEdit>(dock.panel), u"Why: so slow?"_s);
        QCOMPARE(dock.document.design()->notes, std::string("Why: so slow?"));
        QCOMPARE(dock.document.undoStack().count(), 3);
        dock.document.undoStack().setIndex(0);
        QCOMPARE(dock.document.text(), kPod);
    }

    void npuFiguresAreEditedAndAssumedOnesMarked()
    {
        Dock dock;
        QuantityField* peak = part<NpuFacts>(dock.panel).field(u"peak"_s);
        QuantityField* memory = part<NpuFacts>(dock.panel).field(u"memory_bandwidth"_s);
        QCOMPARE(plain(peak->text()), u"989TFLOP/s"_s);
        QVERIFY(memory->text().isEmpty()); // not given
        memory->setFocus();
        QTest::keyClicks(memory->lineEdit(), u"3.35 TB/s"_s);
        QTest::keyClick(memory->lineEdit(), Qt::Key_Return);
        QCOMPARE(dock.document.design()->platform->npu.memoryBandwidth->text(), std::string("3.35 TB/s"));
        QVERIFY(!tagged<QLabel>(part<NpuFacts>(dock.panel), "peak").isVisible());
        dock.document.undoStack().undo();
        QCOMPARE(dock.document.text(), kPod);
        QVERIFY(memory->text().isEmpty());
    }

    void workloadFactsSayWhatRuns()
    {
        DesignDocument document;
        QVERIFY(document.setText(kPod, u"x.yaml"_s));
        const auto facts = WorkloadFacts::factsOf(*document.design());
        const auto value = [&](const QString& name) {
            for (const auto& [key, text] : facts) {
                if (key == name)
                    return text;
            }
            return QString();
        };
        QCOMPARE(value(u"Group tensor"_s), QStringLiteral("8 along D0"));
        QCOMPARE(value(u"Group data"_s), QStringLiteral("16 along D1 D2")); // 4 * 4
        QCOMPARE(value(u"Placement"_s), QStringLiteral("128 ranks on 128 NPUs"));
        QCOMPARE(value(u"Steps in the design"_s), QStringLiteral("3"));
    }

    void workloadFactsSayWhatIsShardedOrPlaced()
    {
        const auto factsWith = [](const char* workload) {
            DesignDocument document;
            [&] { QVERIFY(document.setText(std::string("fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, size: 4, bandwidth: 10 GB/s, latency: 1 us}]\n  npu: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s, memory: 80 GB}\nworkload:\n") + workload, u"x.yaml"_s)); }();
            return WorkloadFacts::factsOf(*document.design());
        };
        const auto graph = factsWith("  shard: {mesh: {x: 4}, tensors: {a: [8]}, ops: [{name: b, op: gelu, in: [a]}, {name: c, op: gelu, in: [b]}], annotations: [{tensor: a, dims: [[x]]}]}\n");
        QCOMPARE(graph.front().first, QStringLiteral("Graph"));
        QCOMPARE(graph.front().second, QStringLiteral("2 ops on 4 devices"));
        const auto placed = factsWith("  model: {family: transformer, transformer: {layers: 4, hidden: 64, heads: 4, ff: 128, vocab: 100, seq: 16}, train: {global_batch: 8}, dtype: {param: fp32, act: fp32, grad: fp32}}\n  plan: {placement: hap}\n");
        QCOMPARE(placed[0].second, QStringLiteral("described here"));
        QCOMPARE(placed[1].first, QStringLiteral("Plan"));
        QCOMPARE(placed[1].second, QStringLiteral("placed by speed (HAP)"));
    }

    void A5_everyFocusableWidgetHasAName()
    {
        Dock dock;
        dock.panel.selectNpu(3);
        QStringList unnamed;
        collectUnnamed(&dock.panel, unnamed);
        dock.panel.selectLink(0);
        collectUnnamed(&dock.panel, unnamed);
        dock.panel.showText(true);
        collectUnnamed(&dock.panel, unnamed);
        IssuesView issues;
        issues.show();
        QAccessibleInterface* list = QAccessible::queryAccessibleInterface(&issues);
        QVERIFY(list && !list->text(QAccessible::Name).isEmpty());
        QVERIFY2(unnamed.isEmpty(), qPrintable(unnamed.join(u", "_s)));
    }

    void A5_tabReachesEveryPartOfTheDock()
    {
        Dock dock;
        named<QToolButton>(dock.panel, "Design as a table").setFocus();
        QSet<QWidget*> reached;
        for (int i = 0; i < 60; ++i) {
            QWidget* at = QApplication::focusWidget();
            QVERIFY(at);
            reached << at;
            QTest::keyClick(at, Qt::Key_Tab);
        }
        for (QWidget* stop : std::initializer_list<QWidget*>{&dock.view(), &tagged<LogSlider>(dock.panel, "bandwidth"), tagged<QuantityField>(part<DimensionSliders>(dock.panel), "bandwidth").lineEdit(), &named<QTableView>(dock.panel, "Overrides"),
                                                             part<NpuFacts>(dock.panel).field(u"peak"_s)->lineEdit(), part<CollectiveFacts>(dock.panel).ofAll(), part<CollectiveFacts>(dock.panel).algorithm(0), part<CollectiveFacts>(dock.panel).chunks()->lineEdit(), &part<QuestionEdit>(dock.panel)})
            QVERIFY2(reached.contains(stop), stop->metaObject()->className());
    }

    void numbersOfDimensionsAreNotCut()
    {
        Dock dock("fabricscope: 1\nplatform:\n  dimensions:\n"
                  "    - {shape: switch, size: 1024, bandwidth: 12800 GB/s, latency: 100.25 us}\n"
                  "    - {shape: ring, size: 2, bandwidth: 50 GB/s, latency: 1 us}\n",
                  304);
        const QFontMetrics font(Theme(Theme::Mode::Light, 13).font(TextStyle::Table));
        for (int column = DimensionModel::Size; column <= DimensionModel::Latency; ++column) {
            const QString text = dock.view().model()->index(0, column).data().toString();
            QVERIFY2(dock.view().columnWidth(column) >= font.horizontalAdvance(text) + 6, qPrintable(QStringLiteral("%1: %2 px for %3").arg(column).arg(dock.view().columnWidth(column)).arg(text)));
        }
    }

    void theDockFitsItsWidths()
    {
        for (const double base : {13.0, 19.5}) {
            for (const int width : {304, 352, 400}) {
                Dock dock(kPod, width);
                const test::WithTheme themed(Theme(Theme::Mode::Light, base));
                dock.panel.resize(width, 900);
                QCoreApplication::processEvents();
                const auto* const area = dock.panel.findChild<QScrollArea*>();
                const int least = area->widget()->minimumSizeHint().width();
                const int scrollBar = 10;
                QVERIFY2(base > 13 || least <= width - scrollBar, qPrintable(QStringLiteral("%1 needs %2").arg(width).arg(least)));
                // Larger text is not cut: one scrolls sideways where the window gives no more room.
                QTRY_VERIFY(dock.panel.width() >= least || area->horizontalScrollBar()->maximum() >= least - dock.panel.width());
            }
        }
    }

    /// Saves pictures to look at when FABRICSCOPE_PICTURES names a folder.
    void pictures()
    {
        const test::Pictures out;
        const QString folder = out.folder();
        for (const bool dark : {false, true}) {
            for (const double base : {13.0, 19.5}) {
                const Theme theme(dark ? Theme::Mode::Dark : Theme::Mode::Light, base);
                const test::WithTheme themed(theme);
                for (const int width : {304, 352, 400}) {
                    Dock dock(kPod, width);
                    dock.panel.resize(width, base > 13 ? 1300 : 1000);
                    dock.panel.selectDimension(2);
                    QVERIFY(DesignActions::setBandwidth(dock.document, 2, {25, "GB/s", Measure::Bandwidth}, false));
                    const QString name = folder + QStringLiteral("/design_%1_%2_%3").arg(dark ? u"dark"_s : u"light"_s).arg(width).arg(base);
                    QTRY_VERIFY(dock.shown(2, DimensionModel::PerLink).startsWith(u"25"_s));
                    dock.panel.grab().save(name + u".png"_s);
                    if (width != 352)
                        continue;
                    dock.panel.selectNpu(37);
                    dock.type(2, DimensionModel::PerLink, "0 GB/s");
                    QTRY_VERIFY(dock.document.hasErrors());
                    dock.panel.grab().save(name + u"_npu.png"_s);
                    dock.panel.selectLink(*findLink(*dock.document.platform(), "d2 37>switch"));
                    dock.panel.showText(true);
                    QTRY_VERIFY(part<YamlView>(dock.panel).isVisible());
                    dock.panel.grab().save(name + u"_yaml.png"_s);
                }
            }
        }
    }
};

FABRICSCOPE_GUI_TEST(tst_designpanel)
#include "tst_designpanel.moc"
