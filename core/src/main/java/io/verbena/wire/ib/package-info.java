/** The headers of the InfiniBand transport, one flyweight per header; opcodes, syndromes and the ICRC. */
@NullMarked
package io.verbena.wire.ib;

import org.jspecify.annotations.NullMarked;
