package io.verbena.storage.subsystem;

import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Who a host claims to be.
 *
 * @param name its NQN
 * @param id HOSTID
 */
public record HostIdentity(String name, UUID id) {
    private static final int MOST_NAME_CHARACTERS = 223;
    private static final Pattern NAME = Pattern.compile("nqn\\.\\d{4}-\\d{2}\\.\\P{Cntrl}+");

    /** Whether the name is an NQN. A field without its NUL is longer than one. */
    boolean hasValidName() {
        return name.length() <= MOST_NAME_CHARACTERS && NAME.matcher(name).matches();
    }

    boolean hasId() {
        return id.getMostSignificantBits() != 0 || id.getLeastSignificantBits() != 0;
    }
}
