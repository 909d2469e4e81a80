/** Arriving segments, sequence numbers, options, and the buffers that hold bytes. */
@NullMarked
package io.verbena.tcp.segment;

import org.jspecify.annotations.NullMarked;
