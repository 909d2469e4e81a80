package io.verbena.storage.subsystem;

import io.verbena.storage.device.BlockDevice;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.UUID;

/**
 * A disk of a subsystem.
 *
 * @param id its number, from 1
 * @param device where the blocks are
 * @param uuid its name, which must be the same after a restart: hosts find the disk by this name
 * @param hosts NQNs of the hosts of the subsystem that see the disk; empty: all
 */
public record Namespace(int id, BlockDevice device, UUID uuid, Set<String> hosts) {
    /** Checks the number. */
    public Namespace {
        hosts = Set.copyOf(hosts);
        if (id < 1 || id > Subsystem.MAX_NAMESPACES) {
            throw new IllegalArgumentException(
                    "A namespace has a number from 1 to " + Subsystem.MAX_NAMESPACES + ", not " + id + ".");
        }
    }

    /** A disk that all hosts of the subsystem see. */
    public Namespace(int id, BlockDevice device, UUID uuid) {
        this(id, device, uuid, Set.of());
    }

    boolean visibleTo(String host) {
        return hosts.isEmpty() || hosts.contains(host);
    }

    byte[] uuidBytes() {
        return ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }
}
