/** The sending side of a connection: the send buffer, loss detection (RFC 8985), recovery, and congestion control. */
@NullMarked
package io.verbena.tcp.send;

import org.jspecify.annotations.NullMarked;
