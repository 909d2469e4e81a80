/**
 * Disks of other machines: {@link io.verbena.storage.client.DiskClient} drives a {@link io.verbena.storage.host.StorageHost} over the
 * verbs, and its {@link io.verbena.storage.client.Disk}s read and write blocks.
 */
@NullMarked
package io.verbena.storage.client;

import org.jspecify.annotations.NullMarked;
