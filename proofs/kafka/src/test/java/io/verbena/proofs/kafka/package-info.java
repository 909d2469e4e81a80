@NullMarked
package io.verbena.proofs.kafka;

import org.jspecify.annotations.NullMarked;
