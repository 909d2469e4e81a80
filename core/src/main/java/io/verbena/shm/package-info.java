/**
 * Byte streams through memory that two processes share: a ring in each direction, the exchange that sets them up, and the
 * hand-shake before a side sleeps. Pure: the memory and the sockets come from {@code host}, or from a test.
 */
@NullMarked
package io.verbena.shm;

import org.jspecify.annotations.NullMarked;
