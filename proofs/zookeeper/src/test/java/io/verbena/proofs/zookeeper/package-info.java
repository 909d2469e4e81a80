@NullMarked
package io.verbena.proofs.zookeeper;

import org.jspecify.annotations.NullMarked;
