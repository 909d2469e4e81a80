/**
 * TCP over IP as a state machine without I/O, threads, clock or randomness. It delivers segments in any order, so that iWARP
 * places them when they arrive. {@code docs/tcp.md} describes how a segment travels.
 */
@NullMarked
package io.verbena.tcp;

import org.jspecify.annotations.NullMarked;
