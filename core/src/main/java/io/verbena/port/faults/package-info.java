/** Ports and streams that lose, delay, duplicate and damage what passes, by a plan. */
@NullMarked
package io.verbena.port.faults;

import org.jspecify.annotations.NullMarked;
