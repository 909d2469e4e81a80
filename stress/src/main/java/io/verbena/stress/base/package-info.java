/** Races between threads that use the types of {@code io.verbena.base}. */
@NullMarked
package io.verbena.stress.base;

import org.jspecify.annotations.NullMarked;
