#include "widgets/report/pieces.h"

#include "widgets/base/showntexts.h"
#include "widgets/base/theme.h"
#include "widgets/report/drawingpainter.h"

#include <QCoreApplication>
#include <QFontDatabase>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace fabricscope {

namespace {

constexpr double kBase = 9;
constexpr double kTable = 8.25;
constexpr double kCaption = 8;
constexpr int kWrapped = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap | Qt::TextIncludeTrailingSpaces;
constexpr double kHairline = 5;

QColor toned(Tone tone)
{
    return QColor::fromRgb(DrawColor(tone).rgb(false));
}

QString tr(const char* text)
{
    return QCoreApplication::translate("ReportPages", text);
}

QString text(const std::string& utf8)
{
    return texts::shownLines(utf8);
}

/// Long words (paths, digests) may break anywhere.
int flagsFor(const QString& words, const QFont& font, double width)
{
    const QFontMetricsF metrics(font);
    for (const QString& word : words.split(u' ', Qt::SkipEmptyParts))
        if (metrics.horizontalAdvance(word) > width)
            return (kWrapped & ~Qt::TextWordWrap) | Qt::TextWrapAnywhere;
    return kWrapped;
}

double heightOf(const QString& words, const QFont& font, double width)
{
    if (words.isEmpty())
        return QFontMetricsF(font).height();
    return QFontMetricsF(font).boundingRect(QRectF(0, 0, width, 1e6), flagsFor(words, font, width), words).height();
}

ReportPiece paragraph(const QString& words, const QFont& font, Tone tone, double width, double before, double indent = 0)
{
    const double room = width - indent;
    return {before, heightOf(words, font, room), false, nullptr,
            [=](QPainter& painter, QPointF at) {
                painter.setFont(font);
                painter.setPen(toned(tone));
                painter.drawText(QRectF(at.x() + indent, at.y(), room, 1e5), flagsFor(words, font, room), words);
            },
            -1};
}

void addList(std::vector<ReportPiece>& pieces, const std::vector<std::string>& items, double width)
{
    for (const std::string& item : items) {
        ReportPiece piece = paragraph(text(item), reportFont(kBase), Tone::Text, width, 20, 110);
        piece.paint = [inner = piece.paint](QPainter& painter, QPointF at) {
            inner(painter, at);
            painter.drawText(QPointF(at.x() + 30, at.y() + QFontMetricsF(painter.font()).ascent()), QStringLiteral("\u2022"));
        };
        pieces.push_back(std::move(piece));
    }
}

double longestWord(const ReportTable& table, std::size_t column)
{
    const QFontMetricsF metrics(reportFont(kTable));
    const QFontMetricsF strong(reportFont(kTable, true));
    double longest = 0;
    for (const auto& row : table.rows)
        for (const QString& word : text(row[column].text).split(u' ', Qt::SkipEmptyParts))
            longest = std::max(longest, (row[column].look == ReportCell::Look::Plain ? metrics : strong).horizontalAdvance(word));
    return longest;
}

/// Columns as wide as their content, the rest shared by weight; when there is too little room, columns of text give way and wrap.
std::vector<double> columnWidths(const ReportTable& table, double width, double gap)
{
    const QFontMetricsF metrics(reportFont(kTable));
    const QFontMetricsF strong(reportFont(kTable, true));
    const std::size_t count = table.columns.size();
    std::vector<double> widths(count, 0);
    std::vector<double> least(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
        widths[i] = metrics.horizontalAdvance(text(table.columns[i].title));
        for (const auto& row : table.rows) {
            const bool chip = row[i].look == ReportCell::Look::Chip;
            widths[i] = std::max(widths[i], chip ? 240.0 : (row[i].look == ReportCell::Look::Plain ? metrics : strong).horizontalAdvance(text(row[i].text)));
        }
        widths[i] = std::ceil(widths[i]) + 2;
        least[i] = table.columns[i].number ? widths[i] : std::min(widths[i], std::clamp(std::ceil(longestWord(table, i)) + 2, 300.0, width * 0.45));
    }
    const double room = width - gap * static_cast<double>(count - 1);
    const double wanted = std::accumulate(widths.begin(), widths.end(), 0.0);
    if (wanted <= room) {
        double weights = 0;
        for (const ReportColumn& column : table.columns)
            weights += column.weight;
        for (std::size_t i = 0; i < count; ++i)
            widths[i] += (room - wanted) * table.columns[i].weight / weights;
        return widths;
    }
    // What is missing is taken from what can give, in proportion.
    double spare = 0;
    for (std::size_t i = 0; i < count; ++i)
        spare += widths[i] - least[i];
    const double share = spare > 0 ? std::min(1.0, (wanted - room) / spare) : 0;
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        widths[i] -= (widths[i] - least[i]) * share;
        sum += widths[i];
    }
    if (sum > room)
        for (double& one : widths)
            one *= room / sum;
    return widths;
}

class TableLayout {
public:
    TableLayout(const ReportTable& table, double width) : m_table(table), m_width(width), m_gap(table.columns.size() > 6 ? 90 : 120), m_widths(columnWidths(table, width, m_gap)) {}

    void add(std::vector<ReportPiece>& pieces) const
    {
        const auto head = std::make_shared<const ReportPiece>(header());
        ReportPiece first = *head;
        first.withNext = true;
        pieces.push_back(std::move(first));
        for (const auto& row : m_table.rows) {
            ReportPiece piece = rowPiece(row);
            piece.head = head;
            pieces.push_back(std::move(piece));
        }
    }

private:
    ReportPiece header() const
    {
        const QFont font = reportFont(kTable);
        double height = 0;
        for (std::size_t i = 0; i < m_widths.size(); ++i)
            height = std::max(height, heightOf(text(m_table.columns[i].title), font, m_widths[i]));
        height += 50;
        return {40, height, false, nullptr,
                [table = m_table.columns, widths = m_widths, gap = m_gap, width = m_width, font, height](QPainter& painter, QPointF at) {
                    painter.setFont(font);
                    painter.setPen(toned(Tone::Text3));
                    double x = at.x();
                    for (std::size_t i = 0; i < widths.size(); ++i) {
                        const QRectF room(x, at.y(), widths[i], height - 30);
                        painter.drawText(room, static_cast<int>(table[i].number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignBottom | Qt::TextWordWrap, text(table[i].title));
                        x += widths[i] + gap;
                    }
                    painter.setPen(QPen(toned(Tone::Outline), 7));
                    painter.drawLine(QPointF(at.x(), at.y() + height), QPointF(at.x() + width, at.y() + height));
                },
                -1};
    }

    ReportPiece rowPiece(const std::vector<ReportCell>& row) const
    {
        double height = 0;
        for (std::size_t i = 0; i < m_widths.size(); ++i)
            height = std::max(height, heightOf(text(row[i].text), reportFont(kTable, row[i].look != ReportCell::Look::Plain), m_widths[i]));
        height += 44;
        return {0, height, false, nullptr,
                [row, columns = m_table.columns, widths = m_widths, gap = m_gap, width = m_width, height](QPainter& painter, QPointF at) {
                    double x = at.x();
                    for (std::size_t i = 0; i < widths.size(); ++i) {
                        cell(painter, row[i], columns[i].number, QRectF(x, at.y() + 20, widths[i], height - 40));
                        x += widths[i] + gap;
                    }
                    painter.setPen(QPen(toned(Tone::Line), kHairline));
                    painter.drawLine(QPointF(at.x(), at.y() + height), QPointF(at.x() + width, at.y() + height));
                },
                -1};
    }

    static void cell(QPainter& painter, const ReportCell& cell, bool number, const QRectF& room)
    {
        const QString words = text(cell.text);
        const QFont font = reportFont(kTable, cell.look != ReportCell::Look::Plain);
        painter.setFont(font);
        if (cell.look == ReportCell::Look::Chip) {
            const DrawColor fill = DrawColor::dimension(cell.dimension);
            const QRectF chip(room.left(), room.top() + 3, 200, std::min(room.height(), 105.0));
            painter.setPen(Qt::NoPen);
            painter.setBrush(QColor::fromRgb(fill.rgb(false)));
            painter.drawRoundedRect(chip, 22, 22);
            painter.setPen(QColor::fromRgb(fill.ink().rgb(false)));
            painter.setFont(reportFont(7.25, true));
            painter.drawText(chip, Qt::AlignCenter, words);
            return;
        }
        painter.setPen(toned(cell.look == ReportCell::Look::Warning ? Tone::Warn : Tone::Text));
        const int flags = flagsFor(words, font, room.width());
        painter.drawText(room.adjusted(number ? -1e4 : 0, 0, number ? 0 : 0, 1e5), number ? static_cast<int>(Qt::AlignRight | Qt::AlignTop) : flags, words);
    }

    const ReportTable& m_table;
    double m_width;
    double m_gap;
    std::vector<double> m_widths;
};

class Blocks {
public:
    Blocks(std::vector<ReportPiece>& pieces, double width) : m_pieces(pieces), m_width(width) {}

    void operator()(const ReportText& block) { m_pieces.push_back(paragraph(text(block.text), reportFont(kBase), Tone::Text, m_width, 30)); }
    void operator()(const ReportList& block) { addList(m_pieces, block.items, m_width); }

    void operator()(const ReportTable& block)
    {
        TableLayout(block, m_width).add(m_pieces);
        if (!block.note.empty())
            m_pieces.push_back(paragraph(text(block.note), reportFont(kCaption), Tone::Text3, m_width, 40));
    }

    void operator()(const ReportFigure& block)
    {
        const double height = block.drawing.size.height() * m_width / block.drawing.size.width();
        const double scale = m_width / block.drawing.size.width();
        const double legend = block.legend.isEmpty() ? 0 : std::min(block.legend.size.width() * scale, m_width);
        const QString caption = tr("Figure %1.").arg(block.number) + u' ' + text(block.caption);
        // The legend stands beside the caption, or below it when it is long.
        const bool beside = legend > 0 && legend < m_width * 0.4;
        const double room = beside ? m_width - legend - 150 : m_width;
        const QFont font = reportFont(kCaption);
        const double words = heightOf(caption, font, room);
        const double legendHeight = legend > 0 ? block.legend.size.height() * scale : 0;
        const double total = height + 50 + (beside ? std::max(words, legendHeight) : words + (legend > 0 ? legendHeight + 30 : 0));
        m_pieces.push_back({20, total, false, nullptr,
                            [=, width = m_width, figure = block](QPainter& painter, QPointF at) {
                                paintDrawing(painter, figure.drawing, QRectF(at, QSizeF(width, height)), font);
                                painter.setFont(font);
                                painter.setPen(toned(Tone::Text2));
                                painter.drawText(QRectF(at.x(), at.y() + height + 40, room, 1e5), flagsFor(caption, font, room), caption);
                                if (legend > 0)
                                    paintDrawing(painter, figure.legend, QRectF(beside ? at.x() + width - legend : at.x(), at.y() + height + (beside ? 40 : 60 + words), legend, legendHeight), font);
                            },
                            -1});
    }

    void operator()(const ReportCode& block)
    {
        QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
        font.setPixelSize(75);
        font.setHintingPreference(QFont::PreferNoHinting);
        const double width = m_width;
        QString words = text(block.text);
        while (words.endsWith(u'\n'))
            words.chop(1);
        double before = 30;
        for (const QString& line : words.split(u'\n')) {
            const double height = heightOf(line, font, width - 120);
            m_pieces.push_back({std::exchange(before, 0), height, false, nullptr,
                                [=](QPainter& painter, QPointF at) {
                                    painter.fillRect(QRectF(at, QSizeF(width, height + 2)), toned(Tone::Panel));
                                    painter.setFont(font);
                                    painter.setPen(toned(Tone::Text));
                                    painter.drawText(QRectF(at.x() + 60, at.y(), width - 120, 1e5), Qt::AlignLeft | Qt::AlignTop | Qt::TextWrapAnywhere, line);
                                },
                                -1});
        }
    }

private:
    std::vector<ReportPiece>& m_pieces;
    double m_width;
};

std::vector<ReportPiece> sectionPieces(const ReportSection& section, int number, double width)
{
    std::vector<ReportPiece> pieces;
    ReportPiece heading = paragraph(QStringLiteral("%1\u2002%2").arg(number).arg(text(section.title)), reportFont(10.5, true), Tone::Text, width, 190);
    heading.height += 20;
    heading.withNext = true;
    heading.section = number - 1;
    pieces.push_back(std::move(heading));
    for (const ReportBlock& block : section.blocks)
        std::visit(Blocks(pieces, width), block);
    return pieces;
}

double heightOf(const std::vector<ReportPiece>& pieces)
{
    double sum = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i)
        sum += (i > 0 ? pieces[i].before : 0) + pieces[i].height;
    return sum;
}

void paintAll(QPainter& painter, const std::vector<ReportPiece>& pieces, QPointF at)
{
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        at.ry() += i > 0 ? pieces[i].before : 0;
        pieces[i].paint(painter, at);
        at.ry() += pieces[i].height;
    }
}

/// As strong as the answer, and before it.
void addNotice(std::vector<ReportPiece>& pieces, const ReportContent& content)
{
    constexpr double kPad = 110;
    ReportPiece piece = paragraph(text(content.notice), reportFont(9.75, true), Tone::Text, kReportWidth - 2 * kPad, 120);
    const double height = piece.height + 2 * 60;
    piece.height = height;
    piece.paint = [=, inner = piece.paint](QPainter& painter, QPointF corner) {
        painter.fillRect(QRectF(corner, QSizeF(kReportWidth, height)), Theme(Theme::Mode::Light).color(Role::WarnBg));
        painter.fillRect(QRectF(corner, QSizeF(30, height)), Theme(Theme::Mode::Light).color(Role::Warn));
        inner(painter, corner + QPointF(kPad, 60));
    };
    pieces.push_back(std::move(piece));
}

void addAnswer(std::vector<ReportPiece>& pieces, const ReportContent& content)
{
    // One text in two weights: laid out by words.
    constexpr double kPad = 110;
    const QFont plain = reportFont(9.75);
    const QFont strong = reportFont(9.75, true);
    struct Word {
        QString text;
        QPointF at;
        bool strong;
    };
    std::vector<Word> words;
    const double room = kReportWidth - 2 * kPad;
    const double line = QFontMetricsF(strong).height() * 1.12;
    const double space = QFontMetricsF(plain).horizontalAdvance(u' ');
    QPointF at(0, QFontMetricsF(strong).ascent());
    const auto flow = [&](const std::string& part, const QFont& font, bool isStrong) {
        for (const QString& word : text(part).split(u' ', Qt::SkipEmptyParts)) {
            const double width = QFontMetricsF(font).horizontalAdvance(word);
            if (at.x() > 0 && at.x() + width > room)
                at = QPointF(0, at.y() + line);
            words.push_back({word, at, isStrong});
            at.rx() += width + space;
        }
    };
    flow(content.answerLead, strong, true);
    flow(content.answer, plain, false);
    const double height = at.y() + QFontMetricsF(strong).descent() + 2 * 80;
    pieces.push_back({120, height, false, nullptr,
                      [=](QPainter& painter, QPointF corner) {
                          painter.fillRect(QRectF(corner, QSizeF(kReportWidth, height)), toned(Tone::Panel));
                          painter.fillRect(QRectF(corner, QSizeF(30, height)), toned(Tone::Accent));
                          painter.setPen(toned(Tone::Text));
                          for (const Word& word : words) {
                              painter.setFont(word.strong ? strong : plain);
                              painter.drawText(corner + QPointF(kPad, 80) + word.at, word.text);
                          }
                      },
                      -1});
    addList(pieces, content.waits, kReportWidth);
}

void addKeyFigures(std::vector<ReportPiece>& pieces, const ReportContent& content)
{
    if (content.figures.empty())
        return;
    constexpr double kGap = 120;
    const auto count = static_cast<double>(content.figures.size());
    const double width = (kReportWidth - kGap * (count - 1)) / count;
    const QFont label = reportFont(8);
    const QFont value = reportFont(14, true);
    double detail = 0;
    for (const ReportKeyFigure& figure : content.figures)
        detail = std::max(detail, heightOf(text(figure.detail), label, width - 90));
    const double labelHeight = QFontMetricsF(label).height();
    const double valueHeight = QFontMetricsF(value).height();
    const double height = labelHeight + valueHeight + detail;
    pieces.push_back({120, height, false, nullptr,
                      [=, figures = content.figures](QPainter& painter, QPointF at) {
                          for (const ReportKeyFigure& figure : figures) {
                              painter.fillRect(QRectF(at, QSizeF(15, height)), toned(Tone::Line2));
                              painter.setFont(label);
                              painter.setPen(toned(Tone::Text2));
                              painter.drawText(QPointF(at.x() + 90, at.y() + QFontMetricsF(label).ascent()), text(figure.label));
                              painter.drawText(QRectF(at.x() + 90, at.y() + labelHeight + valueHeight, width - 90, 1e5), flagsFor(text(figure.detail), label, width - 90), text(figure.detail));
                              painter.setFont(value);
                              painter.setPen(toned(Tone::Text));
                              painter.drawText(QPointF(at.x() + 90, at.y() + labelHeight + QFontMetricsF(value).ascent()), text(figure.value));
                              at.rx() += width + kGap;
                          }
                      },
                      -1});
}

void addShares(std::vector<ReportPiece>& pieces, const ReportContent& content)
{
    if (content.shares.empty())
        return;
    pieces.push_back({140, 130, true, nullptr,
                      [shares = content.shares](QPainter& painter, QPointF at) {
                          std::int64_t total = 0;
                          for (const ReportShare& share : shares)
                              total += share.ps;
                          // In units of the drawings, ten to a point, so that hatches are as on the page for browsers.
                          Drawing bar;
                          bar.size = SizeF(720, 18.35);
                          std::int64_t before = 0;
                          for (const ReportShare& share : shares) {
                              const double left = static_cast<double>(before) / static_cast<double>(total) * 720;
                              before += share.ps;
                              const double right = static_cast<double>(before) / static_cast<double>(total) * 720;
                              addShare(bar, RectF(left, 0, std::max(right - left - 1, 0.5), 18.35), share);
                          }
                          paintDrawing(painter, bar, QRectF(at, QSizeF(kReportWidth, 130)), reportFont(kCaption));
                      },
                      -1});
    // Keys flow from left to right, as many rows as needed.
    const QFont plain = reportFont(8);
    const QFont strong = reportFont(8, true);
    const double line = QFontMetricsF(plain).height();
    double x = 0;
    double y = 0;
    std::vector<QPointF> places;
    for (const ReportShare& share : content.shares) {
        const double below = QFontMetricsF(strong).horizontalAdvance(text(share.value)) + 40 + QFontMetricsF(plain).horizontalAdvance(text(share.share));
        const double width = std::max(110 + QFontMetricsF(plain).horizontalAdvance(text(share.label)), below);
        if (x > 0 && x + width > kReportWidth) {
            x = 0;
            y += 2 * line + 50;
        }
        places.emplace_back(x, y);
        x += width + 220;
    }
    pieces.push_back({50, y + 2 * line, false, nullptr,
                      [=, shares = content.shares](QPainter& painter, QPointF at) {
                          for (std::size_t i = 0; i < shares.size(); ++i) {
                              const QPointF place = at + places[i];
                              Drawing key;
                              key.size = SizeF(11, 11);
                              addShare(key, RectF(0.5, 0.5, 10, 10), shares[i]);
                              paintDrawing(painter, key, QRectF(place.x(), place.y() + line * 0.15, 80, 80), plain);
                              painter.setFont(plain);
                              painter.setPen(toned(Tone::Text2));
                              painter.drawText(QPointF(place.x() + 110, place.y() + QFontMetricsF(plain).ascent()), text(shares[i].label));
                              painter.drawText(QPointF(place.x() + QFontMetricsF(strong).horizontalAdvance(text(shares[i].value)) + 40, place.y() + line + QFontMetricsF(plain).ascent()),
                                               text(shares[i].share));
                              painter.setFont(strong);
                              painter.setPen(toned(Tone::Text));
                              painter.drawText(QPointF(place.x(), place.y() + line + QFontMetricsF(plain).ascent()), text(shares[i].value));
                          }
                      },
                      -1});
}

} // namespace

QFont reportFont(double points, bool strong)
{
    QFont font = Theme(Theme::Mode::Light).font(TextStyle::Body);
    font.setPixelSize(static_cast<int>(std::lround(points * 10)));
    font.setWeight(strong ? QFont::DemiBold : QFont::Normal);
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

std::vector<ReportPiece> reportPieces(const ReportContent& content)
{
    std::vector<ReportPiece> pieces;
    ReportPiece kind = paragraph(tr("Fabricscope design report"), reportFont(8), Tone::Text2, kReportWidth, 0);
    kind.paint = [inner = kind.paint](QPainter& painter, QPointF at) {
        inner(painter, at);
        painter.drawText(QRectF(at, QSizeF(kReportWidth, 200)), Qt::AlignRight | Qt::AlignTop, tr("Design review"));
    };
    pieces.push_back(std::move(kind));
    pieces.push_back(paragraph(text(content.title), reportFont(19, true), Tone::Text, kReportWidth, 110));
    if (!content.question.empty())
        pieces.push_back(paragraph(text(content.question), reportFont(kBase + 0.75), Tone::Text2, kReportWidth, 20));
    if (!content.notice.empty())
        addNotice(pieces, content);
    addAnswer(pieces, content);
    addKeyFigures(pieces, content);
    addShares(pieces, content);

    const std::vector<const ReportSection*> shown = content.shownSections();
    for (std::size_t i = 0; i < shown.size(); ++i) {
        constexpr double kColumn = (kReportWidth - 240) / 2;
        const int number = static_cast<int>(i) + 1;
        if (shown[i]->half && i + 1 < shown.size() && shown[i + 1]->half) {
            const auto left = sectionPieces(*shown[i], number, kColumn);
            const auto right = sectionPieces(*shown[i + 1], number + 1, kColumn);
            const double height = std::max(heightOf(left), heightOf(right));
            if (height < ReportPages::paper().height() * 0.4) {
                ReportPiece both{190, height, false, nullptr,
                                 [=](QPainter& painter, QPointF at) {
                                     paintAll(painter, left, at);
                                     paintAll(painter, right, at + QPointF(kColumn + 240, 0));
                                 },
                                 number - 1};
                pieces.push_back(std::move(both));
                ++i;
                continue;
            }
        }
        for (ReportPiece& piece : sectionPieces(*shown[i], number, kReportWidth))
            pieces.push_back(std::move(piece));
    }
    return pieces;
}

} // namespace fabricscope
