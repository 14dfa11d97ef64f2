#include "core/step/collectivereplay.h"
