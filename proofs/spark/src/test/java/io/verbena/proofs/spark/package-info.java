@NullMarked
package io.verbena.proofs.spark;

import org.jspecify.annotations.NullMarked;
