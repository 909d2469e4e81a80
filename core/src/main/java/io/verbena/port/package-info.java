/**
 * The boundary between engines and the network, in three kinds: non-blocking byte streams, streams that deliver TCP segments in any order
 * ({@link io.verbena.port.SegmentStream}), and packet ports; and their wrappers for faults and captures.
 */
@NullMarked
package io.verbena.port;

import org.jspecify.annotations.NullMarked;
