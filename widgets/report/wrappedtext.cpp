#include "widgets/report/wrappedtext.h"

#include <QFontMetricsF>

#include <algorithm>

namespace fabricscope {

namespace {

/// "a_b/c" as "a_", "b/", "c".
QStringList partsOf(const QString& word)
{
    QStringList parts;
    QString part;
    for (const QChar c : word) {
        part += c;
        if (QStringLiteral("_/-.,:=>").contains(c)) {
            parts << part;
            part.clear();
        }
    }
    if (!part.isEmpty())
        parts << part;
    return parts;
}

/// Code points: a character outside the first 65,536 is two QChars, neither of which says anything alone.
QStringList charactersOf(const QString& text)
{
    QStringList characters;
    for (qsizetype at = 0; at < text.size(); at += characters.last().size()) {
        const bool isPair = text[at].isHighSurrogate() && at + 1 < text.size() && text[at + 1].isLowSurrogate();
        characters << text.mid(at, isPair ? 2 : 1);
    }
    return characters;
}

QString trimmedRight(QString line)
{
    while (line.endsWith(u' '))
        line.chop(1);
    return line;
}

/// Fills lines with pieces that may be parted.
class LineFiller {
public:
    LineFiller(QStringList& lines, const QFont& font, double width) : m_lines(lines), m_metrics(font), m_width(width) {}

    bool fits(const QString& text) const { return m_metrics.horizontalAdvance(trimmedRight(text)) <= m_width; }

    void add(const QString& piece)
    {
        if (!m_line.isEmpty() && !fits(m_line + piece))
            flush();
        m_line += piece;
    }

    /// A word on its own line or behind others; parted only where it is wider than a line.
    void addWord(const QString& word)
    {
        if (fits(word))
            return add(word);
        for (const QString& part : partsOf(word)) {
            if (fits(part)) {
                add(part);
                continue;
            }
            for (const QString& character : charactersOf(part))
                add(character);
        }
    }

    void flush()
    {
        m_lines << trimmedRight(m_line);
        m_line.clear();
    }

private:
    QStringList& m_lines;
    QFontMetricsF m_metrics;
    double m_width;
    QString m_line;
};

/// Words with the blanks behind them; blanks at the start belong to the first.
QStringList wordsOf(const QString& line)
{
    QStringList words;
    qsizetype begin = 0;
    qsizetype at = 0;
    while (at < line.size() && line[at] == u' ')
        ++at;
    for (; at < line.size(); ++at) {
        if (line[at] != u' ' && at > begin && line[at - 1] == u' ' && !line.mid(begin, at - begin).trimmed().isEmpty()) {
            words << line.mid(begin, at - begin);
            begin = at;
        }
    }
    if (begin < line.size())
        words << line.mid(begin);
    return words;
}

} // namespace

QStringList wrappedLines(const QString& text, const QFont& font, double width)
{
    QStringList lines;
    LineFiller filler(lines, font, width);
    for (const QString& line : text.split(u'\n')) {
        if (filler.fits(line)) {
            lines << trimmedRight(line);
            continue;
        }
        for (const QString& word : wordsOf(line))
            filler.addWord(word);
        filler.flush();
    }
    return lines;
}

double widestWord(const QString& text, const QFont& font)
{
    const QFontMetricsF metrics(font);
    double widest = 0;
    for (const QString& word : text.split(u' ', Qt::SkipEmptyParts)) {
        if (word.size() <= kBreakableWord) {
            widest = std::max(widest, metrics.horizontalAdvance(word));
            continue;
        }
        for (const QString& part : partsOf(word))
            widest = std::max(widest, metrics.horizontalAdvance(part));
    }
    return widest;
}

} // namespace fabricscope
