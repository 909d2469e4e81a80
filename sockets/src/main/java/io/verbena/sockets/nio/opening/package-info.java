/**
 * The beginning of a connection: the first bytes by which two sides agree upon RDMA or leave a stream to TCP, without
 * I/O; the thread that connects and accepts; what is known of peers.
 */
@NullMarked
package io.verbena.sockets.nio.opening;

import org.jspecify.annotations.NullMarked;
