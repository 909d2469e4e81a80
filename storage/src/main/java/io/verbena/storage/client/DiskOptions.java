package io.verbena.storage.client;

import io.verbena.storage.host.HostTimes;
import io.verbena.storage.subsystem.HostIdentity;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.SurvivalOptions;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.UUID;

/**
 * How a client connects.
 *
 * @param rnic the RNIC that {@link DiskClient#connect} opens; its provider is {@code iwarp}, {@code roce}, {@code shm}, or empty
 * @param host who the host claims to be
 * @param queues wanted number of I/O queues
 * @param depth commands in flight per queue, 1 to 1023
 * @param keys access of the target to memory
 * @param times keep-alive, time-outs, reconnection
 * @param survival how the connections survive the end of their transport, see {@link #surviving}; empty if that
 *     ends them
 */
public record DiskOptions(
        RnicOptions rnic,
        HostIdentity host,
        int queues,
        int depth,
        KeyUse keys,
        HostTimes times,
        Optional<SurvivalOptions> survival) {

    /** One queue with 32 commands in flight, a key for each command, a host with a random name. */
    public static DiskOptions defaults() {
        UUID id = UUID.randomUUID();
        HostIdentity host = new HostIdentity("nqn.2014-08.org.nvmexpress:uuid:" + id, id);
        return new DiskOptions(
                RnicOptions.defaults(), host, 1, 32, KeyUse.PER_COMMAND, HostTimes.defaults(), Optional.empty());
    }

    /** The provider of the RNIC. */
    public DiskOptions withProvider(String provider) {
        return withRnic(rnic.withProvider(provider));
    }

    /** The RNIC. */
    public DiskOptions withRnic(RnicOptions value) {
        return new DiskOptions(value, host, queues, depth, keys, times, survival);
    }

    /** The host; targets can allow certain names only. */
    public DiskOptions withHost(HostIdentity value) {
        return new DiskOptions(rnic, value, queues, depth, keys, times, survival);
    }

    /** Number of I/O queues. */
    public DiskOptions withQueues(int value) {
        return new DiskOptions(rnic, host, value, depth, keys, times, survival);
    }

    /** Commands in flight per queue. */
    public DiskOptions withDepth(int value) {
        return new DiskOptions(rnic, host, queues, value, keys, times, survival);
    }

    /** Access of the target to memory. */
    public DiskOptions withKeys(KeyUse value) {
        return new DiskOptions(rnic, host, queues, depth, value, times, survival);
    }

    /** Times. */
    public DiskOptions withTimes(HostTimes value) {
        return new DiskOptions(rnic, host, queues, depth, keys, value, survival);
    }

    /**
     * iWARP and shared memory: the connections survive the end of their transport, see {@link
     * ConnectionOptions#surviving}, and no command is executed again. The server must be a Verbena that agrees to it;
     * the target of Linux refuses such a connection.
     *
     * @param others further addresses of the server
     */
    public DiskOptions surviving(SocketAddress... others) {
        return withSurvival(SurvivalOptions.over(others));
    }

    /** The same, with these options. */
    public DiskOptions withSurvival(SurvivalOptions value) {
        return new DiskOptions(rnic, host, queues, depth, keys, times, Optional.of(value));
    }
}
