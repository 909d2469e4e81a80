/**
 * The InfiniBand transport as pure engines: requester, responder and completer. No socket, thread or clock; packets come in
 * by calls and leave through a {@link io.verbena.base.PacketList}.
 */
@NullMarked
package io.verbena.ib;

import org.jspecify.annotations.NullMarked;
