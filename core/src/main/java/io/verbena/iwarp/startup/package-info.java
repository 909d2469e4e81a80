/**
 * MPA start-up: the transition from streaming mode to RDMA mode, as two pure state machines.
 *
 * <p>{@link io.verbena.iwarp.startup.InitiatorStartUp} sends the MPA Request Frame and waits for the Reply;
 * {@link io.verbena.iwarp.startup.ResponderStartUp} waits for the Request and answers it. Neither uses a socket, a thread or a
 * clock: received bytes and the time are arguments; bytes to send, deadlines and the outcome are polled.
 *
 * <p>Sources: RFC 5044 section 7.1 (the exchange) and RFC 6581 (read depths, peer-to-peer, error codes).
 */
@NullMarked
package io.verbena.iwarp.startup;

import org.jspecify.annotations.NullMarked;
