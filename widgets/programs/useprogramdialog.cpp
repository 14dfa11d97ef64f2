#include "widgets/programs/useprogramdialog.h"

#include "core/base/index.h"
#include "core/formats/programform.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/design/quantityinput.h"
#include "widgets/results/words.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>
#include <set>
#include <tuple>

namespace fabricscope {

namespace {

constexpr int kShownKinds = 3;

QString kindText(const CollectiveKind& kind)
{
    return UseProgramDialog::tr("%1 of %2 over %3").arg(texts::inSentence(texts::operation(kind.op)), texts::size(kind.bytes), texts::ranks(kind.ranks));
}

QString listOf(const std::vector<CollectiveKind>& kinds)
{
    QStringList names;
    for (const CollectiveKind& kind : kinds) {
        if (names.size() == kShownKinds) {
            names << UseProgramDialog::tr("%1 more").arg(static_cast<qint64>(kinds.size()) - kShownKinds);
            break;
        }
        names << kindText(kind);
    }
    return names.join(QStringLiteral(", "));
}

} // namespace

std::vector<CollectiveKind> collectiveKinds(const RunResult& result)
{
    std::vector<CollectiveKind> kinds;
    std::set<std::tuple<CollectiveOp, FamilyId, std::int64_t, std::int64_t>> known;
    const Structure& structure = *result.scenario->structure;
    for (const CollectiveInstance& instance : structure.instances) {
        const GroupFamily& family = structure.workload->families[at(instance.family)];
        const std::int64_t ranks = family.groupSize(instance.group);
        if (ranks > 1 && known.insert({instance.op, instance.family, ranks, instance.bytes}).second)
            kinds.push_back({instance.op, family.name(), static_cast<std::int32_t>(ranks), instance.bytes});
    }
    return kinds;
}

std::optional<Quantity> typedSize(const QString& text, QString* wrong)
{
    if (text.trimmed().isEmpty())
        return std::nullopt;
    const Result<Quantity> size = quantitytext::parse(text, Measure::Size, "B");
    if (size)
        return size.value();
    if (wrong)
        *wrong = UseProgramDialog::tr("\"%1\" is no size. Enter one such as 64 MiB.").arg(text.trimmed());
    return std::nullopt;
}

void markWrong(QWidget& field, bool wrong)
{
    const QString state = wrong ? QStringLiteral("error") : QString();
    if (field.property("state").toString() == state)
        return;
    field.setProperty("state", state);
    field.style()->unpolish(&field);
    field.style()->polish(&field);
}

UseProgramDialog::UseProgramDialog(ProgramToUse program, ProgramTarget target, QWidget* parent)
    : QDialog(parent), m_theme(AppTheme::global().theme()), m_program(std::move(program)), m_target(std::move(target)), m_op(new QComboBox), m_group(new QComboBox), m_least(new QLineEdit),
      m_most(new QLineEdit), m_form(new QComboBox), m_file(new QLineEdit), m_browse(new QPushButton(tr("&Browse…"))), m_note(new QLabel)
{
    setWindowTitle(tr("Use in design"));
    setAccessibleName(windowTitle());
    if (m_program.op != CollectiveOp::Custom) {
        m_op->addItem(texts::operation(m_program.op), static_cast<int>(m_program.op));
    } else {
        for (int op = 0; op < static_cast<int>(CollectiveOp::Barrier); ++op)
            m_op->addItem(texts::operation(static_cast<CollectiveOp>(op)), op);
    }
    m_op->setEnabled(m_op->count() > 1);
    m_group->addItem(tr("Every group"), QStringLiteral("*"));
    for (const auto& [title, name] : m_target.groups)
        m_group->addItem(title, QString::fromStdString(name));
    m_least->setPlaceholderText(tr("no limit"));
    m_most->setPlaceholderText(tr("no limit"));
    m_least->setToolTip(tr("Large side of the collective, such as 64 KiB"));
    m_most->setToolTip(m_least->toolTip());
    if (m_program.algorithm)
        m_form->addItem(tr("Algorithm %1, for groups of any size").arg(texts::shown(m_program.algorithm->text)), true);
    m_form->addItem(tr("File beside the design"), false);
    m_form->setEnabled(m_form->count() > 1);
    const bool inside = !m_target.folder.isEmpty() && QFileInfo(m_program.file).absolutePath() == QDir(m_target.folder).absolutePath();
    m_file->setText(inside ? QFileInfo(m_program.file).fileName() : QDir::toNativeSeparators(m_program.file));
    m_file->setMinimumWidth(m_theme.scaled(200));
    m_browse->setAccessibleName(tr("Browse for the file"));

    auto* form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    auto* what = new QLabel(tr("<b>%1</b>, %2 over %3")
                                .arg(texts::shown(m_program.name).toHtmlEscaped(), texts::inSentence(texts::operation(m_program.op)), m_program.anyRanks ? tr("any number of ranks") : texts::ranks(m_program.ranks)));
    what->setTextFormat(Qt::RichText);
    what->setWordWrap(true);
    const auto add = [form](const QString& label, QWidget* field, QLayout* with = nullptr) {
        field->setAccessibleName(QString(label).remove(QLatin1Char('&')));
        auto* text = new QLabel(label);
        text->setBuddy(field);
        with ? form->addRow(text, with) : form->addRow(text, field);
    };
    add(tr("&Collective"), m_op);
    add(tr("&Group"), m_group);
    add(tr("Sizes &from"), m_least);
    add(tr("Sizes &to"), m_most);
    add(tr("&Kept as"), m_form);
    auto* fileRow = new QHBoxLayout;
    fileRow->addWidget(m_file, 1);
    fileRow->addWidget(m_browse);
    add(tr("Fi&le"), m_file, fileRow);
    m_note->setObjectName(QStringLiteral("note"));
    m_note->setWordWrap(true);
    m_note->setProperty("role", QStringLiteral("hint"));
    m_note->setMinimumHeight(m_theme.scaled(68));
    m_note->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_accept = buttons->addButton(tr("&Use in design"), QDialogButtonBox::AcceptRole);
    m_accept->setProperty("primary", true);
    m_accept->setDefault(true);
    m_browse->setAutoDefault(false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 12);
    column->setSpacing(12);
    column->addWidget(what);
    column->addLayout(form);
    column->addWidget(m_note);
    column->addWidget(buttons);
    resize(m_theme.scaled(480), sizeHint().height());
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_browse, &QPushButton::clicked, this, &UseProgramDialog::browse);
    for (QComboBox* box : {m_op, m_group, m_form})
        connect(box, &QComboBox::currentIndexChanged, this, &UseProgramDialog::check);
    for (QLineEdit* field : {m_least, m_most, m_file})
        connect(field, &QLineEdit::textChanged, this, &UseProgramDialog::check);
    chooseGroup();
    check();
    m_group->setFocus();
}

/// Every group where the program fits all it would run in, else the first it fits.
void UseProgramDialog::chooseGroup()
{
    if (m_program.anyRanks || m_program.algorithm)
        return;
    bool all = true;
    const CollectiveKind* first = nullptr;
    for (const CollectiveKind& kind : m_target.kinds) {
        if (kind.op != op())
            continue;
        all = all && kind.ranks == m_program.ranks;
        if (!first && kind.ranks == m_program.ranks)
            first = &kind;
    }
    if (!all && first)
        m_group->setCurrentIndex(std::max(0, m_group->findData(QString::fromStdString(first->group))));
}

CollectiveOp UseProgramDialog::op() const
{
    return static_cast<CollectiveOp>(m_op->currentData().toInt());
}

bool UseProgramDialog::asAlgorithm() const
{
    return m_form->currentData().toBool();
}

QString UseProgramDialog::filePath() const
{
    const QString typed = QDir::fromNativeSeparators(m_file->text().trimmed());
    const QString folder = m_target.folder.isEmpty() ? QFileInfo(m_program.file).absolutePath() : m_target.folder;
    return typed.isEmpty() ? QString() : QDir::cleanPath(QDir(folder).absoluteFilePath(typed));
}

QString UseProgramDialog::pathInDesign() const
{
    const QString path = filePath();
    if (m_target.folder.isEmpty())
        return path;
    const QString relative = QDir(m_target.folder).relativeFilePath(path);
    return relative.startsWith(QStringLiteral("..")) ? path : relative;
}

QString UseProgramDialog::fileToWrite() const
{
    const bool there = m_program.written && QFileInfo(filePath()) == QFileInfo(m_program.file);
    return asAlgorithm() || there ? QString() : filePath();
}

edits::ProgramRule UseProgramDialog::rule() const
{
    edits::ProgramRule rule;
    rule.op = op();
    rule.group = m_group->currentData().toString().toStdString();
    rule.minSize = typedSize(m_least->text());
    rule.maxSize = typedSize(m_most->text());
    if (asAlgorithm()) {
        rule.source = *m_program.algorithm;
        rule.chunks = m_program.chunks;
        return rule;
    }
    const QString path = pathInDesign();
    rule.source.kind = programFormOf(path.toStdString(), {}) == ProgramForm::Script ? ProgramSource::Kind::Script : ProgramSource::Kind::File;
    rule.source.text = path.toStdString();
    return rule;
}

bool UseProgramDialog::isAcceptable() const
{
    return m_accept->isEnabled();
}

void UseProgramDialog::browse()
{
    const QString ending = QFileInfo(m_program.file).suffix();
    const QString path = QFileDialog::getSaveFileName(this, tr("Save the program as"), filePath(), tr("Programs (*.%1)").arg(ending));
    if (!path.isEmpty())
        m_file->setText(m_target.folder.isEmpty() || QDir(m_target.folder).relativeFilePath(path).startsWith(QStringLiteral("..")) ? QDir::toNativeSeparators(path)
                                                                                                                                : QDir(m_target.folder).relativeFilePath(path));
}

void UseProgramDialog::check()
{
    QString wrongLeast;
    QString wrongMost;
    QString wrongFile;
    const std::optional<Quantity> least = typedSize(m_least->text(), &wrongLeast);
    const std::optional<Quantity> most = typedSize(m_most->text(), &wrongMost);
    if (least && most && toBytes(*least).value > toBytes(*most).value)
        wrongMost = tr("No size lies between %1 and %2.").arg(QString::fromStdString(least->text()), QString::fromStdString(most->text()));
    const bool file = !asAlgorithm();
    m_file->setEnabled(file);
    m_browse->setEnabled(file);
    const QString ending = QFileInfo(m_program.file).suffix();
    if (file && !filePath().endsWith(QLatin1Char('.') + ending))
        wrongFile = tr("The file needs a name that ends in .%1.").arg(ending);
    else if (file && !QFileInfo(QFileInfo(filePath()).absolutePath()).isDir())
        wrongFile = tr("There is no folder %1.").arg(QFileInfo(filePath()).absolutePath());
    markWrong(*m_least, !wrongLeast.isEmpty());
    markWrong(*m_most, !wrongMost.isEmpty());
    markWrong(*m_file, !wrongFile.isEmpty());
    for (const QString& wrong : {wrongLeast, wrongMost, wrongFile}) {
        if (!wrong.isEmpty()) {
            m_accept->setEnabled(false);
            m_note->setText(wrong);
            return;
        }
    }
    m_accept->setEnabled(true);

    const QString group = m_group->currentData().toString();
    std::vector<CollectiveKind> fits;
    std::vector<CollectiveKind> others;
    for (const CollectiveKind& kind : m_target.kinds) {
        const bool meant = kind.op == op() && (group == QStringLiteral("*") || group.toStdString() == kind.group) && (!least || kind.bytes >= toBytes(*least).value)
            && (!most || kind.bytes <= toBytes(*most).value);
        if (!meant)
            continue;
        (m_program.anyRanks || asAlgorithm() || kind.ranks == m_program.ranks ? fits : others).push_back(kind);
    }
    QStringList notes;
    if (m_target.kinds.empty())
        notes << tr("Nothing has run yet, so what it will be used for is not known.");
    else if (fits.empty() && others.empty())
        notes << tr("No collective of the last run is meant by this.");
    if (!fits.empty())
        notes << tr("Runs %1.").arg(listOf(fits));
    if (!others.empty())
        notes << tr("Does not fit %1: it is for %2. Choose the group or the sizes it is for.").arg(listOf(others), texts::ranks(m_program.ranks));
    if (!fileToWrite().isEmpty() && QFileInfo::exists(filePath()))
        notes << tr("%1 is there and will be replaced.").arg(QFileInfo(filePath()).fileName());
    m_note->setText(notes.join(QLatin1Char(' ')));
}

} // namespace fabricscope
