/** Segments that arrive before their predecessors: what is known of them, and how they are placed. */
@NullMarked
package io.verbena.iwarp.early;

import org.jspecify.annotations.NullMarked;
