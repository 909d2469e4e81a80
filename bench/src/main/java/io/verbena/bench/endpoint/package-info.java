/** What the measured processes have in common: an RNIC with its memory, and a rank. */
@NullMarked
package io.verbena.bench.endpoint;

import org.jspecify.annotations.NullMarked;
