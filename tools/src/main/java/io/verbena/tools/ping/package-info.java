/**
 * The protocol of librdmacm's rping, both roles. The client offers memory with a Send of 16 bytes; the server reads it by
 * RDMA Read, says so with a Send, is offered memory again, writes the same bytes there by RDMA Write, and says so.
 */
@NullMarked
package io.verbena.tools.ping;

import org.jspecify.annotations.NullMarked;
