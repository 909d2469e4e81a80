/** Races of notification. */
@NullMarked
package io.verbena.stress.notify;

import org.jspecify.annotations.NullMarked;
