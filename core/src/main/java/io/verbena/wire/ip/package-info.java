/** Headers below TCP and TCP's own: one flyweight per header, decoders of options, and the Internet checksum. */
@NullMarked
package io.verbena.wire.ip;

import org.jspecify.annotations.NullMarked;
