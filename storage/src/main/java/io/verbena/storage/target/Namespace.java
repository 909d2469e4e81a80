package io.verbena.storage.target;

import io.verbena.storage.device.BlockDevice;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * A disk of a subsystem.
 *
 * @param id its number, from 1
 * @param device where the blocks are
 * @param uuid its name, which must be the same after a restart: hosts find the disk by this name
 */
public record Namespace(int id, BlockDevice device, UUID uuid) {
    /** Checks the number. */
    public Namespace {
        if (id < 1 || id > Subsystem.MAX_NAMESPACES) {
            throw new IllegalArgumentException(
                    "A namespace has a number from 1 to " + Subsystem.MAX_NAMESPACES + ", not " + id + ".");
        }
    }

    byte[] uuidBytes() {
        return ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }
}
