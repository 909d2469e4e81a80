package io.verbena.host.socket;

import io.verbena.host.engine.EngineLoop;
import io.verbena.host.engine.LoopSource;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Optional;

/** A UDP socket as the packet port of an engine: what both kinds of socket share. */
public abstract class UdpPort extends LoopSource implements PacketPort {

    /** Largest payload of an IPv4 datagram, which is also the limit for a group. */
    public static final int MAX_PAYLOAD_BYTES = 65_507;

    /** Requested size of the receive buffer; the system grants less if its limit is lower. */
    public static final int BUFFER_BYTES = 4 << 20;

    /** Number of hops of multicast packets, as rdma_cm on Linux sets it. */
    public static final int MULTICAST_HOPS = 64;

    private static final int MOST_CALLS = 64;

    /** Reports of unreachable destinations that wait for the next round; more are dropped, since they are hints. */
    private static final int MOST_REPORTS = 16;

    final PacketEvents events;
    private final EngineLoop loop;
    private final ArrayDeque<InetSocketAddress> unreachable = new ArrayDeque<>();

    private final ArrayDeque<InetSocketAddress> refused = new ArrayDeque<>();
    private boolean wantsWritable;
    private boolean closed;
    private int calls = 1;

    public UdpPort(EngineLoop loop, PacketEvents events) {
        this.loop = loop;
        this.events = events;
    }

    @Override
    public final boolean attached() {
        return !closed;
    }

    @Override
    public final boolean wantsReadable() {
        return !closed;
    }

    @Override
    public final boolean wantsWritable() {
        return wantsWritable;
    }

    @Override
    public final void tellReadable() {
        events.onReadable();
    }

    @Override
    public final void tellWritable() {
        events.onWritable();
    }

    /** A destination cannot be reached. Reported in the next round, not within the call that found out. */
    public final void unreachable(InetSocketAddress destination) {
        report(unreachable, destination);
    }

    /** No process has the port of a destination. Reported as {@link #unreachable} is. */
    public final void refused(InetSocketAddress destination) {
        report(refused, destination);
    }

    private void report(ArrayDeque<InetSocketAddress> reports, InetSocketAddress destination) {
        if (reports.size() < MOST_REPORTS) {
            reports.addLast(destination);
            loop.reportSoon(this);
        }
    }

    @Override
    public final void tellKept() {
        while (!closed && !unreachable.isEmpty()) {
            events.onUnreachable(unreachable.removeFirst());
        }
        while (!closed && !refused.isEmpty()) {
            events.onRefused(refused.removeFirst());
        }
    }

    @Override
    public final int groupBytes() {
        return MAX_PAYLOAD_BYTES;
    }

    @Override
    public final void wantWritable(boolean wanted) {
        if (wantsWritable != wanted && !closed) {
            wantsWritable = wanted;
            interestChanged(wanted);
        }
    }

    /** The owner starts or ceases to wait for writability. */
    public abstract void interestChanged(boolean writable);

    final boolean closed() {
        return closed;
    }

    public final void checkOpen() throws IOException {
        if (closed) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public final int receive(PacketBatch batch) throws IOException {
        checkOpen();
        if (batch.packets() > 0 || !batch.fits(LEAST_BATCH_PACKETS, LEAST_BATCH_BYTES)) {
            throw new IllegalArgumentException("a batch must be empty and have room for at least " + LEAST_BATCH_PACKETS
                    + " packets and " + LEAST_BATCH_BYTES + " bytes");
        }
        // An engine that exchanges single packets pays for one call; one that receives many is not slowed by its turns.
        int left = calls;
        while (left > 0 && batch.fits(LEAST_BATCH_PACKETS, LEAST_BATCH_BYTES)) {
            if (!receiveOnce(batch)) {
                calls = 1;
                break;
            }
            left--;
        }
        if (left == 0) {
            calls = Math.min(MOST_CALLS, calls * 2);
        }
        readBytes += batch.used();
        return batch.packets();
    }

    /** One receiving call; false if the socket has no packet. */
    public abstract boolean receiveOnce(PacketBatch batch) throws IOException;

    /** The interface with a local address; every address of 127/8 is one of the loopback interface. */
    public static Optional<NetworkInterface> interfaceOf(InetAddress local) throws IOException {
        if (local.isAnyLocalAddress()) {
            return Optional.empty();
        }
        NetworkInterface found = NetworkInterface.getByInetAddress(local);
        return found != null || !local.isLoopbackAddress()
                ? Optional.ofNullable(found)
                : NetworkInterface.networkInterfaces().filter(UdpPort::loopback).findFirst();
    }

    private static boolean loopback(NetworkInterface each) {
        try {
            return each.isLoopback();
        } catch (SocketException e) {
            return false; // it has disappeared
        }
    }

    public static void checkGroup(InetAddress group) {
        if (!group.isMulticastAddress()) {
            throw new IllegalArgumentException(group.getHostAddress() + " is not a multicast address");
        }
    }

    @Override
    public final void close() {
        if (!closed) {
            loop.cool(this);
            closed = true;
            unreachable.clear();
            refused.clear();
            closeSockets();
        }
    }

    public abstract void closeSockets();

    @Override
    public String toString() {
        return "UDP port " + localAddress();
    }
}
