#!/bin/sh
# A few killed runs; tests/long/kills.sh kills many.
KILLS=12 exec sh "$BRISTLE_SOURCE/tests/long/kills.sh"
