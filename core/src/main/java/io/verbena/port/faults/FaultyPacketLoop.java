package io.verbena.port.faults;

import io.verbena.base.RandomSource;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketLoop;
import io.verbena.port.PacketPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * A loop whose ports have faults. The thread that drives the inner loop also calls {@link #turn}, which releases
 * delayed packets.
 */
public final class FaultyPacketLoop implements PacketLoop {

    /** Result of {@link #nextDeadlineNs} if nothing is delayed. */
    public static final long NEVER = Long.MAX_VALUE;

    private final PacketLoop inner;
    private final PacketFaults plan;
    private final RandomSource random;
    private final List<FaultyPacketPort> ports = new ArrayList<>();
    private long nowNs;

    /**
     * Creates a loop that adds the faults of a plan to the ports of {@code inner}.
     *
     * @param random source of the decisions; one number is drawn for each port
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

    /** Advances the time and reports packets whose delay has expired. Returns the number of ports with such packets. */
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

    /** The time at which {@link #turn} has work, or {@link #NEVER}. */
    public long nextDeadlineNs() {
        long next = NEVER;
        for (FaultyPacketPort port : ports) {
            long portDeadlineNs = port.nextDeadlineNs();
            if (portDeadlineNs != NEVER && (next == NEVER || portDeadlineNs - next < 0)) {
                next = portDeadlineNs;
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
