#!/bin/sh
# A few failing allocations of each command; tests/long/allocations.sh tries many.
TRIALS=5 exec sh "$BRISTLE_SOURCE/tests/long/allocations.sh"
