package io.verbena.storage.target;

import java.util.UUID;

/**
 * Who a host claims to be.
 *
 * @param name its NQN
 * @param id HOSTID
 */
public record HostIdentity(String name, UUID id) {}
