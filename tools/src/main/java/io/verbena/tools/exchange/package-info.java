/** How programs that connect queue pairs by hand exchange their addresses over TCP. */
@NullMarked
package io.verbena.tools.exchange;

import org.jspecify.annotations.NullMarked;
