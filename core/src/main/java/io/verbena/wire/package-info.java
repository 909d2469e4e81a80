/** The headers as they stand on the wire, one flyweight each, with one-line printing and pcapng output. */
@NullMarked
package io.verbena.wire;

import org.jspecify.annotations.NullMarked;
