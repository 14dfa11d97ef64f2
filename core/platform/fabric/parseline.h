#pragma once

#include "core/platform/fabric/fabric.h"
#include "core/platform/fabric/fabricform.h"

#include <string_view>

namespace fabricscope {

/// Reads a fabric in one line: part [xN] { "/" join {token} [xN] }.
///
/// The part is `npu`, a preset (the start of its name is enough) or a topology in one line, `Switch(4, 450 GB/s, 1 us)`; xN: how many the first join joins. A join is a family
/// with its numbers in the order of its keys ("dragonfly 4,8,4", "torus 4x4x8", "hyperx 4x4 npus 2"), or a level: `rails` or `leaf` (also `switch`, `tor`, `edge`) at the
/// lowest place, then `spine`, `core`, ... (`clos`), whose numbers follow from those below. Tokens: ports of a switch ("64p"), rate ("400G" is 400 Gbit/s), time,
/// oversubscription a:b (at the upper level of the two), key and value. "crossbar 51.2T" is what each switch passes on. Levels also know `up` (cables up from each switch below) and `switches`. xN at a level: how many
/// of it the next one joins.
///
///     hgx-h100 x32 / rails 64p 400G x4 / spine 2:1
///     npu x16 / leaf 24p 400G x8 / spine 2:1
///     npu / fat_tree 16 400G
///
/// Error: Usage; the field is "--line", the message names the token and the nearest valid value.
Result<Fabric> fabricOfLine(std::string_view line);
/// Is this a part, with its xN or without, behind which a join may follow? Errors as fabricOfLine(). \pre it has no join.
Status checkFabricPart(std::string_view text);
/// Its words only: parts, families and levels are not looked at. Errors alike.
Result<FabricForm> parseFabricForm(std::string_view line);
/// What a form means. Fields of errors: "of", "levels[1].up", or a key of a family: "dragonfly.groups". \pre it has a join.
Result<FabricSpec> fabricSpecOf(const FabricForm& form);
/// The fabric a form describes. Errors: of the form, and of its numbers (Fabric::create).
Result<Fabric> fabricOfForm(const FabricForm& form);
/// The same fabric as design files say it: levels are "switch" and "clos" with a name, numbers of families have their keys. \pre fabricSpecOf() takes it.
FabricForm normalForm(FabricForm form);

} // namespace fabricscope
