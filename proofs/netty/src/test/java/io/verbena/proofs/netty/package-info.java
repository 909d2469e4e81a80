@NullMarked
package io.verbena.proofs.netty;

import org.jspecify.annotations.NullMarked;
