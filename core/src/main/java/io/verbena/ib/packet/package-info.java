/** Packets: op codes, packet sequence numbers, the two encapsulations, and what is admitted. */
@NullMarked
package io.verbena.ib.packet;

import org.jspecify.annotations.NullMarked;
