/** Races of work queues and completion rings. */
@NullMarked
package io.verbena.stress.queue;

import org.jspecify.annotations.NullMarked;
