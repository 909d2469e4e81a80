@NullMarked
package io.verbena.proofs.sockets;

import org.jspecify.annotations.NullMarked;
