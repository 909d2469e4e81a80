/** Races around what every engine uses. */
@NullMarked
package io.verbena.stress.base;

import org.jspecify.annotations.NullMarked;
