/** Threads that drive engines: engine threads, INLINE drivers, borrowed engines, and how all of them wait. */
@NullMarked
package io.verbena.host.engine;

import org.jspecify.annotations.NullMarked;
