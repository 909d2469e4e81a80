/**
 * The InfiniBand transport as pure engines: requester, responder and completer. They use no socket, thread or clock.
 * Packets arrive by calls and are sent through a {@link io.verbena.base.PacketList}.
 */
@NullMarked
package io.verbena.ib;

import org.jspecify.annotations.NullMarked;
