/** Races of remote keys and of memory that is taken away. */
@NullMarked
package io.verbena.memory;

import org.jspecify.annotations.NullMarked;
