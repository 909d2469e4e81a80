/** The Netty transport of Verbena, measured beside Netty's own transports. */
@NullMarked
package io.verbena.bench.netty;

import org.jspecify.annotations.NullMarked;
