/**
 * A proxy between TCP and streams over RDMA, for programs that cannot use the provider of channels: {@link io.verbena.sockets.proxy.Proxy}.
 *
 * <p>One thread selects over the channels of the JDK and of the provider, which one selector can hold. Two threads per connection, each
 * blocked in a read, would need a buffer of each of them all the time: 640 MiB for 5,000 connections. With a selector, a buffer is
 * {@link io.verbena.sockets.proxy.WaitingBuffers borrowed} when bytes have arrived, and returned as soon as the other end has taken
 * them, so that an idle connection has none.
 *
 * <p>A {@link io.verbena.sockets.proxy.Flow} carries one direction of a connection. It does not read while bytes wait, which stops
 * the sender by the flow control of its own transport.
 */
@NullMarked
package io.verbena.sockets.proxy;

import org.jspecify.annotations.NullMarked;
