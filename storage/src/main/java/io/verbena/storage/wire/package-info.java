/**
 * The structures of NVMe over Fabrics, one flyweight each: capsules, the data of Connect and of Identify, log pages, and the private
 * data of the RDMA connection.
 *
 * <p>All integers are little endian. A flyweight is pointed at memory by {@code wrap} and copies nothing; check that the memory has
 * {@code LENGTH} bytes first. {@code describe} prints one line, because tools that dissect NVMe do not do so over iWARP. Nothing here
 * judges a value: an unknown opcode or a data pointer that lies is read as it is, and the engine answers it with a {@link
 * io.verbena.storage.wire.Status}. Sources: NVM Express base specification 1.4, NVM Express over Fabrics 1.1.
 */
@NullMarked
package io.verbena.storage.wire;

import org.jspecify.annotations.NullMarked;
