/** Collective operations as data: schedules of steps, the algorithms that make them, element types and reductions. Pure: no verbs, no threads. */
@NullMarked
package io.verbena.messaging.collective;

import org.jspecify.annotations.NullMarked;
