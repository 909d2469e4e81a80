/** Races around what every engine uses. */
@NullMarked
package io.verbena.queue;

import org.jspecify.annotations.NullMarked;
