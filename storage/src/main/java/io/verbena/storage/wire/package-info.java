/**
 * The structures of NVMe over Fabrics, one flyweight each: capsules, the data of Connect and of Identify, log pages, and the private
 * data of the RDMA connection.
 *
 * <p>All integers are little endian. A flyweight is pointed at memory by {@code wrap} and copies nothing; check that the memory has
 * {@code LENGTH} bytes first. {@code describe} prints one line, because protocol analyzers do not dissect NVMe over iWARP. The flyweights
 * check no values: an unknown opcode or a false data pointer is read unchanged, and the engine rejects it with a {@link
 * io.verbena.storage.wire.Status}. Sources: NVM Express base specification 1.4, NVM Express over Fabrics 1.1.
 */
@NullMarked
package io.verbena.storage.wire;

import org.jspecify.annotations.NullMarked;
