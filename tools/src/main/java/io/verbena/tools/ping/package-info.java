/**
 * The protocol of librdmacm's rping, both roles. The client offers memory with a Send of 16 bytes; the server reads this
 * memory by RDMA Read and sends an acknowledgement. The client offers memory again; the server writes the same bytes there
 * by RDMA Write and sends another acknowledgement.
 */
@NullMarked
package io.verbena.tools.ping;

import org.jspecify.annotations.NullMarked;
