/**
 * Disks: what a namespace stores its blocks on. {@link io.verbena.storage.device.BlockDevice} is the interface; a device of a user
 * implements it too.
 *
 * <p>Wrappers change another device for tests of file systems and databases: {@link io.verbena.storage.device.FaultyDevice} fails chosen
 * blocks, {@link io.verbena.storage.device.SlowDevice} delays commands, {@link io.verbena.storage.device.PowerCutDevice} loses, tears and
 * reorders what was not flushed, and {@link io.verbena.storage.device.RecordingDevice} writes a record that {@link
 * io.verbena.storage.device.RecordReplay} replays command by command.
 */
@NullMarked
package io.verbena.storage.device;

import org.jspecify.annotations.NullMarked;
