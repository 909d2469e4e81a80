/**
 * A transport of Netty whose channels are stream sockets over the verbs.
 *
 * <p>{@link io.verbena.netty.VerbenaIoHandler} is the I/O handler of an event loop, {@link
 * io.verbena.netty.VerbenaSocketChannel} and {@link io.verbena.netty.VerbenaServerSocketChannel} are its channels.
 *
 * <pre>
 *    event loop 1                  event loop 2
 *    VerbenaIoHandler              VerbenaIoHandler        waits, handles the registrations that became ready
 *     |    |    |                   |    |
 *    channels                      channels                one StreamSocket or StreamListener each
 *     |    |    |                   |    |
 *    StreamNetwork ---------------------                   one RNIC, whose engine is borrowed by the loop that waits
 * </pre>
 *
 * <p><b>Waiting.</b> All loops of a group share one network, because a connection cannot change its RNIC: a server channel
 * accepts in one loop, and its children belong to other loops. The loop that has nothing to do drives the engine of the RNIC
 * ({@link io.verbena.sockets.stream.EngineDriver}), so that a message costs no change of threads; if another loop drives it already, the
 * loop parks until its channels become ready.
 *
 * <p><b>Readiness.</b> A socket that becomes ready puts the registration of its channel on a list of the handler, which wakes its
 * loop. A registration that is still ready after it was handled remains on the list; so events are level-triggered, as Netty's channels
 * expect, and idle channels cost nothing.
 *
 * <p><b>Bytes.</b> A read copies from the receive buffer of the socket into the buffer that the allocator of the channel returns, a
 * write copies from the buffers of the program into the send buffer: one copy each. Neither allocates.
 *
 * @since 0.1.0
 */
@NullMarked
package io.verbena.netty;

import org.jspecify.annotations.NullMarked;
