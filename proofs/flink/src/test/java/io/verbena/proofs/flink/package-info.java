/** Flink over the sockets of Verbena. */
@NullMarked
package io.verbena.proofs.flink;

import org.jspecify.annotations.NullMarked;
