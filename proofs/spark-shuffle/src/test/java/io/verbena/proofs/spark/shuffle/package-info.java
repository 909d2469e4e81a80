/** Spark with {@link io.verbena.spark.VerbenaShuffleManager}, compared with plain Spark. */
@NullMarked
package io.verbena.proofs.spark.shuffle;

import org.jspecify.annotations.NullMarked;
