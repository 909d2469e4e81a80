/** Real time: event loops, sockets, clocks and handler processors that drive the engines. */
@NullMarked
package io.verbena.host;

import org.jspecify.annotations.NullMarked;
