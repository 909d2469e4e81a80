/**
 * Disks on which namespaces store their blocks. Devices of this package and of users implement
 * {@link io.verbena.storage.device.BlockDevice}.
 *
 * <p>Wrappers change another device for tests of file systems and databases: {@link io.verbena.storage.device.FaultyDevice} fails chosen
 * blocks, {@link io.verbena.storage.device.SlowDevice} delays commands, {@link io.verbena.storage.device.PowerCutDevice} loses, tears and
 * reorders what was not flushed, and {@link io.verbena.storage.device.RecordingDevice} writes a record that {@link
 * io.verbena.storage.device.RecordReplay} replays command by command.
 */
@NullMarked
package io.verbena.storage.device;

import org.jspecify.annotations.NullMarked;
