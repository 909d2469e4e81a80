/** A static check of the whole source: instants are compared by difference. */
@NullMarked
package io.verbena.instants;

import org.jspecify.annotations.NullMarked;
