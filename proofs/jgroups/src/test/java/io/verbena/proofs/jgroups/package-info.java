@NullMarked
package io.verbena.proofs.jgroups;

import org.jspecify.annotations.NullMarked;
