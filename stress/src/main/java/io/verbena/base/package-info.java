/** Races around what every engine uses. */
@NullMarked
package io.verbena.base;

import org.jspecify.annotations.NullMarked;
