/** Segments that arrive before their predecessors: the records about them, and their placement. */
@NullMarked
package io.verbena.iwarp.early;

import org.jspecify.annotations.NullMarked;
