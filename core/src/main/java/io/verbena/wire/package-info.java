/** The protocol headers, one flyweight each, with one-line printing and pcapng files. */
@NullMarked
package io.verbena.wire;

import org.jspecify.annotations.NullMarked;
