/** Addresses of IP, the four numbers that name a connection, and what is derived from them. */
@NullMarked
package io.verbena.tcp.flow;

import org.jspecify.annotations.NullMarked;
