// Everything public.
#ifndef BRISTLE_BRISTLE_H
#define BRISTLE_BRISTLE_H

#include "bristle/bars.h"
#include "bristle/base.h"
#include "bristle/batch.h"
#include "bristle/contact.h"
#include "bristle/export.h"
#include "bristle/fit.h"
#include "bristle/friction.h"
#include "bristle/hold.h"
#include "bristle/io.h"
#include "bristle/judgement.h"
#include "bristle/math.h"
#include "bristle/model.h"
#include "bristle/modes.h"
#include "bristle/record.h"
#include "bristle/report.h"
#include "bristle/result.h"
#include "bristle/shape.h"
#include "bristle/sim.h"
#include "bristle/solver.h"
#include "bristle/statics.h"
#include "bristle/sweep.h"
#include "bristle/text.h"
#include "bristle/trust.h"

#endif
