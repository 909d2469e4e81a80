/** The tests that Spark publishes, run with the shuffle manager of Verbena. */
@NullMarked
package io.verbena.proofs.spark.suites;

import org.jspecify.annotations.NullMarked;
