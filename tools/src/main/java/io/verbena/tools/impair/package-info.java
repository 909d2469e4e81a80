/**
 * {@code verbena net impair}: a forwarder between two hosts that loses, delays, reorders, duplicates, corrupts, trims and marks packets by
 * a seed. {@link io.verbena.tools.impair.Impairment} decides and has no I/O; the bridges carry packets.
 */
@NullMarked
package io.verbena.tools.impair;

import org.jspecify.annotations.NullMarked;
