#include "widgets/programs/generatedialog.h"
#include "widgets/base/apptheme.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSpinBox>
#include <QStyle>
#include <QVBoxLayout>

namespace fabricscope {

namespace {

QString text(std::string_view words)
{
    return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
}

} // namespace

std::vector<std::int32_t> GenerateDialog::extentsOf(const QString& typed)
{
    static const QRegularExpression between(QStringLiteral("\\s*[x×,*\\s]\\s*"));
    std::vector<std::int32_t> out;
    for (const QString& part : typed.trimmed().split(between, Qt::SkipEmptyParts)) {
        bool isNumber = false;
        const int extent = part.toInt(&isNumber);
        if (!isNumber || extent < 1)
            return {};
        out.push_back(extent);
    }
    return out;
}

GenerateDialog::GenerateDialog(QWidget* parent)
    : QDialog(parent), m_theme(AppTheme::global().theme()), m_algorithm(new QComboBox), m_op(new QComboBox), m_extents(new QLineEdit(QStringLiteral("8"))), m_chunks(new QSpinBox),
      m_root(new QSpinBox), m_radix(new QSpinBox), m_note(new QLabel)
{
    setWindowTitle(tr("Generate a program"));
    setAccessibleName(windowTitle());
    for (const GeneratorInfo& info : generators())
        m_algorithm->addItem(text(info.title), text(info.key));
    m_chunks->setRange(1, 4096);
    m_root->setRange(0, 1'000'000);
    m_radix->setRange(2, 64);
    for (QSpinBox* box : {m_chunks, m_root, m_radix})
        box->setButtonSymbols(QAbstractSpinBox::NoButtons); // Typed, or changed by arrow keys and the wheel.
    m_extents->setPlaceholderText(tr("8, or 4 x 2"));
    m_extents->setToolTip(tr("Ranks along every axis of the group, axis 0 first"));
    auto* form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    const auto add = [form](const QString& label, QWidget* field) {
        field->setAccessibleName(label);
        form->addRow(label, field);
    };
    add(tr("Algorithm"), m_algorithm);
    add(tr("Collective"), m_op);
    add(tr("Ranks"), m_extents);
    add(tr("Pieces one after the other"), m_chunks);
    add(tr("Root"), m_root);
    add(tr("Radix"), m_radix);
    m_note->setObjectName(QStringLiteral("note"));
    m_note->setWordWrap(true);
    m_note->setProperty("role", QStringLiteral("hint"));
    m_note->setMinimumHeight(m_theme.scaled(52));
    m_note->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_accept = buttons->addButton(tr("Generate"), QDialogButtonBox::AcceptRole);
    m_accept->setProperty("primary", true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 12);
    column->setSpacing(12);
    column->addLayout(form);
    column->addWidget(m_note);
    column->addWidget(buttons);
    resize(m_theme.scaled(440), sizeHint().height());
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_algorithm, &QComboBox::currentIndexChanged, this, &GenerateDialog::chooseAlgorithm);
    connect(m_op, &QComboBox::currentIndexChanged, this, &GenerateDialog::check);
    connect(m_extents, &QLineEdit::textChanged, this, &GenerateDialog::check);
    for (QSpinBox* box : {m_chunks, m_root, m_radix})
        connect(box, &QSpinBox::valueChanged, this, &GenerateDialog::check);
    chooseAlgorithm();
}

void GenerateDialog::chooseAlgorithm()
{
    const GeneratorInfo* info = findGenerator(m_algorithm->currentData().toString().toStdString());
    const int before = m_op->currentData().toInt();
    m_op->clear();
    if (info) {
        for (const CollectiveOp op : info->ops)
            m_op->addItem(text(collectiveKey(op)).replace(QLatin1Char('_'), QLatin1Char('-')), static_cast<int>(op));
    }
    m_op->setCurrentIndex(std::max(0, m_op->findData(before)));
    check();
}

GenerateRequest GenerateDialog::request() const
{
    GenerateRequest request;
    request.algorithm = m_algorithm->currentData().toString().toStdString();
    request.op = static_cast<CollectiveOp>(m_op->currentData().toInt());
    request.axes = extentsOf(m_extents->text());
    request.chunks = m_chunks->value();
    request.root = m_root->value();
    request.radix = m_radix->value();
    return request;
}

bool GenerateDialog::isAcceptable() const
{
    return m_accept->isEnabled();
}

void GenerateDialog::check()
{
    const GenerateRequest wanted = request();
    const GeneratorInfo* info = findGenerator(wanted.algorithm);
    const CollectiveOp op = wanted.op;
    m_root->setEnabled(op == CollectiveOp::Broadcast || op == CollectiveOp::Reduce || op == CollectiveOp::Gather || op == CollectiveOp::Scatter);
    QString wrong;
    if (wanted.axes.empty())
        wrong = tr("Ranks: numbers of ranks along the axes, such as 8 or 4 x 2.");
    else if (const Status status = checkGenerate(wanted); !status)
        wrong = QString::fromStdString(status.error().text());
    m_extents->setProperty("state", wrong.isEmpty() ? QString() : QStringLiteral("error"));
    m_extents->style()->unpolish(m_extents);
    m_extents->style()->polish(m_extents);
    m_accept->setEnabled(wrong.isEmpty());
    m_note->setText(!wrong.isEmpty() ? wrong : info ? tr("Takes %1. Source: %2.").arg(text(info->sizes), text(info->source)) : QString());
}

} // namespace fabricscope
