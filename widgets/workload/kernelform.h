#pragma once

#include "core/base/quantity.h"
#include "core/design/design.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace fabricscope {

/// How a design says that ops of its plan take their time, for forms: `compute.kernels`.
namespace kernelform {

/// The path of it.
QString path();

/// "off", "own terms" and every machine with fitted terms.
QStringList choices();
/// Which of them the design has.
QString choiceOf(const Design& design);
/// What its terms were fitted to; empty: there is no machine.
QString sourceOf(const Design& design);
/// As one splice.
Status choose(YamlDocument& yaml, const QString& choice);

/// A term that a person can say.
struct Term {
    const char* key = "";
    Measure measure = Measure::Count;
    const char* unit = ""; ///< What a number alone has.
    QString name;
    QString hint;
    QString usual;         ///< What it is where the design does not say it.
};
/// Those that time something in a design; none without kernels.
std::vector<Term> termsOf(const Design& design);
/// As one splice; empty: not said any more. Errors: what cannot be meant.
Status setTerm(YamlDocument& yaml, const Term& term, const QString& typed);

} // namespace kernelform

} // namespace fabricscope
