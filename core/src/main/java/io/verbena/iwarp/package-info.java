/**
 * The iWARP protocols as state machines without I/O: MPA framing, DDP placement, RDMAP messages, start-up and closing.
 */
@NullMarked
package io.verbena.iwarp;

import org.jspecify.annotations.NullMarked;
