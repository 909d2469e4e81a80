/** Packets: op codes, packet sequence numbers, the two encapsulations, and the check of arriving packets. */
@NullMarked
package io.verbena.ib.packet;

import org.jspecify.annotations.NullMarked;
