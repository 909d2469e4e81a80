/** Reliable datagrams: end-to-end contexts and the queue pairs that share them. */
@NullMarked
package io.verbena.ib.rd;

import org.jspecify.annotations.NullMarked;
