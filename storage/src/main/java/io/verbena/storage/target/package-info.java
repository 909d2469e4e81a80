/**
 * The target of NVMe over Fabrics as a pure engine: it takes capsules, decides, and tells a {@link
 * io.verbena.storage.target.QueueOutput} what to transfer, what to do with a device, and what to answer. It knows no thread, no clock
 * and no verbs.
 */
@NullMarked
package io.verbena.storage.target;

import org.jspecify.annotations.NullMarked;
