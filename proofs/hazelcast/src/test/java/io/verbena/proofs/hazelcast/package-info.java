@NullMarked
package io.verbena.proofs.hazelcast;

import org.jspecify.annotations.NullMarked;
