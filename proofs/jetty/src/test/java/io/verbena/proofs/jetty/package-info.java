@NullMarked
package io.verbena.proofs.jetty;

import org.jspecify.annotations.NullMarked;
