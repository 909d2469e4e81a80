/** Races of notification. */
@NullMarked
package io.verbena.rnic;

import org.jspecify.annotations.NullMarked;
