@NullMarked
package io.verbena.proofs.grpc;

import org.jspecify.annotations.NullMarked;
