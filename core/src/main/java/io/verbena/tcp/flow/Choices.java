package io.verbena.tcp.flow;

import io.verbena.base.KeyedHash;
import io.verbena.base.RandomSource;

/** The numbers that must not be predictable: initial sequence numbers, starts of timestamps, ports, identifications. */
public final class Choices {

    /** Random ports that are tried until one is not in use. */
    public static final int MOST_ATTEMPTS = 256;

    private static final long TICK_NS = 4_000;
    private static final int FIRST_PORT = 32_768;
    private static final int PORTS = 65_536 - FIRST_PORT;

    private final RandomSource random;
    private final KeyedHash hash;

    public Choices(RandomSource random) {
        this.random = random;
        this.hash = new KeyedHash(random.nextLong(), random.nextLong());
    }

    /** RFC 6528 section 3 and RFC 9293 section 3.4.1 [1]: a clock plus a keyed hash of the addresses and ports. */
    public int sequence(FlowKey key, long nowNs) {
        return (int) (nowNs / TICK_NS) + (int) hash.of(addresses(key), ports(key), 1);
    }

    /** RFC 7323 section 5.4: one clock of timestamps per pair of hosts, with an unpredictable start. */
    public int timestamp(FlowKey key) {
        return (int) hash.of(addresses(key), key.path(), 2);
    }

    /** A keyed hash of a connection that does not exist yet, and of what a cookie depends on. */
    public long cookie(FlowKey key, long numbers, int data) {
        return hash.of(hash.of(addresses(key), ports(key), 5), numbers, (long) data << 8 | 6);
    }

    private static long ports(FlowKey key) {
        return (long) key.path() << 32 | Integer.toUnsignedLong(key.ports());
    }

    /** A keyed hash of both addresses. */
    private long addresses(FlowKey key) {
        long local = hash.of(key.local().high(), key.local().low(), 3);
        return hash.of(key.remote().high() ^ local, key.remote().low(), 4);
    }

    /** A port to connect from; the caller tries another one if it is in use (RFC 6056). */
    public int port() {
        return FIRST_PORT + random.nextInt(PORTS);
    }

    public int identification() {
        return random.nextInt(1 << 16);
    }
}
