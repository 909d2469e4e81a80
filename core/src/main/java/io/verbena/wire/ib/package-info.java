/** The headers of the InfiniBand transport and of its packets, one flyweight each; opcodes, syndromes and the ICRC. */
@NullMarked
package io.verbena.wire.ib;

import org.jspecify.annotations.NullMarked;
