/** The port of an InfiniBand or RoCE RNIC: packets in and out, by rotation between queue pairs. */
@NullMarked
package io.verbena.rnic.ib.port;

import org.jspecify.annotations.NullMarked;
