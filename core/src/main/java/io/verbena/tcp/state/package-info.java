/** The states of a connection with their table, its settings and its counters. */
@NullMarked
package io.verbena.tcp.state;

import org.jspecify.annotations.NullMarked;
