/** Unreliable connections, datagrams, and raw packets. */
@NullMarked
package io.verbena.ib.unreliable;

import org.jspecify.annotations.NullMarked;
