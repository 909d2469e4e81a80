/** What {@code verbena memory} and {@code verbena info --memory} show. */
@NullMarked
package io.verbena.tools.memory;

import org.jspecify.annotations.NullMarked;
