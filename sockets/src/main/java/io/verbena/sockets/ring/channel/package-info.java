/**
 * Streams of two rings with what they need of the system: the memory, and the TCP connection over which they were agreed. The connection says that the peer's
 * process has ended, and carries a byte for each wake-up of a sleeping side; {@link io.verbena.sockets.ring.channel.RingSocket} is one side.
 */
@NullMarked
package io.verbena.sockets.ring.channel;

import org.jspecify.annotations.NullMarked;
