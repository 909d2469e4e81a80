/** The implementations that Verbena is compared with: plain NIO, Netty, UCX, jucx, MPI and programs in C. */
@NullMarked
package io.verbena.bench.side.peer;

import org.jspecify.annotations.NullMarked;
