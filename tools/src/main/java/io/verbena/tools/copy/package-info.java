/** What {@code verbena cp} shows of a copy, and how it reads and names local files. */
@NullMarked
package io.verbena.tools.copy;

import org.jspecify.annotations.NullMarked;
