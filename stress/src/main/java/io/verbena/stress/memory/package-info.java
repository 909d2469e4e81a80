/** Races of remote keys and of memory that is revoked. */
@NullMarked
package io.verbena.stress.memory;

import org.jspecify.annotations.NullMarked;
