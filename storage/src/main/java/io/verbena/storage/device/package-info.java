/**
 * Disks: what a namespace stores its blocks on. {@link io.verbena.storage.device.BlockDevice} is the interface; a device of a user implements it too. Wrappers inject
 * faults and record commands.
 */
@NullMarked
package io.verbena.storage.device;

import org.jspecify.annotations.NullMarked;
