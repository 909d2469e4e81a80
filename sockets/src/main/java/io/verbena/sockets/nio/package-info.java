/**
 * A provider of NIO channels and selectors: programs that use {@link java.nio.channels.SocketChannel} run over RDMA
 * without a change. {@link io.verbena.sockets.nio.VerbenaSelectorProvider} is the way in.
 *
 * <p>A socket channel has a {@link io.verbena.sockets.nio.Carrier carrier}: a stream socket over the verbs, or a channel of
 * the JDK. The carrier is decided when the channel is connected ({@link io.verbena.sockets.nio.ConnectAttempt}) or
 * accepted ({@link io.verbena.sockets.nio.Reception}). A selector has a selector of the JDK inside for all channels of the
 * JDK.
 */
@NullMarked
package io.verbena.sockets.nio;

import org.jspecify.annotations.NullMarked;
