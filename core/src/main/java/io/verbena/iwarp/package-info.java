/**
 * The iWARP protocols as state machines without I/O: MPA framing, DDP placement, RDMAP messages, and closing. Start-up is in
 * {@code startup}.
 */
@NullMarked
package io.verbena.iwarp;

import org.jspecify.annotations.NullMarked;
