/** One iWARP stream over a path that loses and reorders TCP segments, in virtual time, with figures about its holes. */
@NullMarked
package io.verbena.tools.holes;

import org.jspecify.annotations.NullMarked;
