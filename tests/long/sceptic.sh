#!/bin/sh
# More than 2,000 random scenes and several hundred runs judged against a truth found another way; counts by family.
set -eu

tests=$(dirname "$BRISTLE")/tests
failed=0
SCEPTIC_EACH=110 "$tests/test_public.sceptic" || failed=1
SCEPTIC_EACH=60 "$tests/test_public.sceptic_closed" || failed=1
SCEPTIC_EACH=60 "$tests/test_public.sceptic_thresholds" || failed=1
# Factors of secondary parameters, with other seeds than the plain tests.
SCEPTIC_SEED=5 SCEPTIC=flips SCEPTIC_EACH=120 "$tests/test_public.sceptic_thresholds" || failed=1
SCEPTIC_EACH=25 "$tests/test_public.sceptic_runs" || failed=1
SCEPTIC_EACH=10 "$tests/test_public.sceptic_units" || failed=1
SCEPTIC_EACH=60 "$tests/test_public.sceptic_tables" || failed=1
exit $failed
