/**
 * Stream sockets over the verbs: sockets that behave as those of TCP, whose bytes travel by RDMA Writes.
 *
 * <p>A {@link io.verbena.sockets.stream.StreamNetwork} owns an RNIC and makes {@link
 * io.verbena.sockets.stream.StreamSocket sockets} and {@link io.verbena.sockets.stream.StreamListener listeners}. Each
 * socket has a protection domain, a queue pair and a {@link io.verbena.sockets.protocol.StreamEngine} of its own, and
 * shares a completion queue with others. The thread that finds a completion hands it to its socket; the thread that has the
 * socket's lock processes it.
 */
@NullMarked
package io.verbena.sockets.stream;

import org.jspecify.annotations.NullMarked;
