/**
 * The rsockets protocol of librdmacm as a pure engine: a byte stream in each direction over RDMA Writes.
 *
 * <p>Each side offers the other one a part of its receive buffer at a time, as a {@link
 * io.verbena.sockets.protocol.TargetEntry target}. The peer writes data there and says with each message how many
 * bytes it wrote. {@link io.verbena.sockets.protocol.Inbound} holds the receive buffer, {@link
 * io.verbena.sockets.protocol.Outbound} the send buffer and the targets of the peer, and {@link
 * io.verbena.sockets.protocol.StreamEngine} both of them and the life of the connection ({@link
 * io.verbena.sockets.protocol.StreamState}).
 *
 * <p>The package uses no queue pair, thread or clock. {@code StreamEngine.nextWork} says what to post, and {@code
 * onMessage} and {@code onWorkDone} say what has completed.
 */
@NullMarked
package io.verbena.sockets.protocol;

import org.jspecify.annotations.NullMarked;
