/**
 * MPA start-up: from streaming mode to full RDMA mode, as two pure state machines.
 *
 * <p>{@link io.verbena.iwarp.startup.InitiatorStartUp} sends the MPA Request Frame and waits for the Reply;
 * {@link io.verbena.iwarp.startup.ResponderStartUp} does the opposite. Neither touches a socket, a thread or a clock:
 * bytes and the time come in by calls, bytes, deadlines and the outcome go out by polls.
 *
 * <p>Sources: RFC 5044 section 7.1 (the exchange) and RFC 6581 (read depths, peer-to-peer, error codes).
 */
@NullMarked
package io.verbena.iwarp.startup;

import org.jspecify.annotations.NullMarked;
