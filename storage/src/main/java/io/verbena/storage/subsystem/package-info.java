/**
 * The target of NVMe over Fabrics as a pure engine: the target processes capsules and requests transfers, device
 * operations and responses from a {@link io.verbena.storage.subsystem.QueueOutput}. The target uses no thread, clock or verb.
 */
@NullMarked
package io.verbena.storage.subsystem;

import org.jspecify.annotations.NullMarked;
