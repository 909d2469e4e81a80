/** Handshakes without state: SYN cookies, and the answers to segments of no connection. */
@NullMarked
package io.verbena.tcp.handshake;

import org.jspecify.annotations.NullMarked;
