package io.verbena.port;

import io.verbena.base.RandomSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** A loop whose ports have faults. Whoever drives the loop inside also calls {@link #turn}, which lets go what is held. */
public final class FaultyPacketLoop implements PacketLoop {

    /** Answer of {@link #nextDeadlineNs} when nothing is held. */
    public static final long NEVER = Long.MAX_VALUE;

    private final PacketLoop inner;
    private final PacketFaults plan;
    private final RandomSource random;
    private final List<FaultyPacketPort> ports = new ArrayList<>();
    private long nowNs;

    /**
     * Ports of {@code inner} with the faults of a plan.
     *
     * @param random decides; one number is drawn for each port
     * @param nowNs the time until the first turn
     */
    public FaultyPacketLoop(PacketLoop inner, PacketFaults plan, RandomSource random, long nowNs) {
        this.inner = inner;
        this.plan = plan;
        this.random = random;
        this.nowNs = nowNs;
    }

    @Override
    public PacketPort open(InetSocketAddress local, PacketEvents events) throws IOException {
        FaultyPacketPort port = new FaultyPacketPort(inner.open(local, events), plan, random.nextLong(), this, events);
        ports.add(port);
        return port;
    }

    /** Lets the time go on and reports packets whose time has come; returns the number of ports that have some. */
    public int turn(long timeNs) {
        nowNs = timeNs;
        int due = 0;
        for (FaultyPacketPort port : List.copyOf(ports)) {
            if (port.turn(timeNs)) {
                due++;
            }
        }
        return due;
    }

    /** When {@link #turn} has something to do, or {@link #NEVER}. */
    public long nextDeadlineNs() {
        long next = NEVER;
        for (FaultyPacketPort port : ports) {
            long mine = port.nextDeadlineNs();
            if (mine != NEVER && (next == NEVER || mine - next < 0)) {
                next = mine;
            }
        }
        return next;
    }

    long nowNs() {
        return nowNs;
    }

    void forget(FaultyPacketPort port) {
        ports.remove(port);
    }
}
