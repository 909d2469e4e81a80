/**
 * The host (initiator) of NVMe over Fabrics as a pure engine: {@link io.verbena.storage.host.StorageHost} connects a controller, keeps it
 * alive, sends the commands of {@link io.verbena.storage.host.BlockRequest}, and repeats them after a loss. A {@link
 * io.verbena.storage.host.HostOutput} executes the work that the host requests. The host uses no thread, clock or verb.
 */
@NullMarked
package io.verbena.storage.host;

import org.jspecify.annotations.NullMarked;
