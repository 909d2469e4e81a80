package io.verbena.sim;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.port.Addresses;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketPort;
import io.verbena.port.PacketSender;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * A port of the virtual packet network. It behaves like a UDP socket with a selector: readiness is reported again while
 * it lasts, and a packet that arrives at a full buffer is dropped silently.
 */
final class VirtualPacketPort implements PacketPort {

    /** Overhead that a system accounts for a packet in addition to its bytes. */
    private static final int OVERHEAD_BYTES = 768;

    private static final int GROUP_PACKETS = 64;
    private static final int GROUP_BYTES = 65_507;
    private static final int FIRST_REPEAT_NS = 5_000;
    private static final int MOST_DOUBLINGS = 8;

    /** How often a port of a paused host looks whether the pause has ended. */
    private static final long PAUSED_NS = 1_000_000;

    /** Readiness may be reported this often in a row to an engine that does nothing about it. */
    private static final int MOST_REPEATS = 2_000;

    private final Run run;
    private final PacketNetwork network;
    private final EngineDriver driver;
    private final PacketEvents events;
    private final InetSocketAddress local;
    private final ArrayDeque<Arrived> queue = new ArrayDeque<>();
    private int queuedBytes;
    private boolean lookScheduled;
    private int repeats;
    private boolean closed;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Arrived(byte[] bytes, long high, long low, int port, int trafficClass, int index) {
        int accounted() {
            return OVERHEAD_BYTES + Integer.highestOneBit(Math.max(1, 2 * bytes.length - 1));
        }
    }

    VirtualPacketPort(
            Run run,
            PacketNetwork network,
            InetAddress host,
            EngineDriver driver,
            InetSocketAddress wanted,
            PacketEvents events)
            throws IOException {
        this.network = network;
        this.run = run;
        this.driver = driver;
        this.events = events;
        this.local = network.bind(this, host, wanted);
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public int groupPackets() {
        return GROUP_PACKETS;
    }

    @Override
    public int groupBytes() {
        return GROUP_BYTES;
    }

    @Override
    public boolean showsTrafficClass() {
        return true;
    }

    @Override
    public int receiveBufferBytes() {
        return network.plan().bufferBytes();
    }

    @Override
    public int sourcePort(int entropy) {
        return entropy == 0 ? 0 : local.getPort() + entropy & 0xffff;
    }

    @Override
    public int send(PacketList list, int from) throws IOException {
        checkUse();
        return put(list, from);
    }

    private int put(PacketList list, int from) {
        int packet = from;
        while (packet < list.packets()) {
            int end = list.groupEnd(packet);
            for (int index = 0; packet < end; index++) {
                ByteBuffer copy = ByteBuffer.allocate(list.length(packet));
                list.copyOut(packet, copy);
                network.send(this, list.path(packet), copy.array(), index);
                packet++;
            }
        }
        return packet;
    }

    @Override
    public PacketSender share(Consumer<InetSocketAddress> unreachable) {
        return new PacketSender() {
            @Override
            public int groupPackets() {
                return GROUP_PACKETS;
            }

            @Override
            public int groupBytes() {
                return GROUP_BYTES;
            }

            @Override
            public int sourcePort(int entropy) {
                return VirtualPacketPort.this.sourcePort(entropy);
            }

            @Override
            public int send(PacketList list, int from) throws IOException {
                if (closed) {
                    throw new IOException(VirtualPacketPort.this + " is closed");
                }
                return put(list, from);
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public int receive(PacketBatch batch) throws IOException {
        checkUse();
        repeats = 0;
        while (!queue.isEmpty() && batch.fits(queue.peekFirst().bytes().length)) {
            Arrived next = queue.removeFirst();
            queuedBytes -= next.accounted();
            int length = next.bytes().length;
            MemorySegment.copy(next.bytes(), 0, batch.slab().segment(), ValueLayout.JAVA_BYTE, batch.used(), length);
            batch.add(length, next.high(), next.low(), next.port(), next.trafficClass(), next.index());
        }
        lookSoon(FIRST_REPEAT_NS);
        return batch.packets();
    }

    private void checkUse() throws IOException {
        if (closed || driver.dead()) {
            throw new IOException(this + " is closed");
        }
        if (!driver.inside()) {
            run.fail(this + " is used outside of its engine's thread");
        }
    }

    // The network.

    /** Delivers a packet; returns false if it does not fit. */
    boolean arrive(VirtualPacketPort from, PacketPath path, byte[] bytes, int index, PacketPlan plan) {
        InetAddress source = from.local.getAddress();
        int trafficClass = path.trafficClass();
        if (PacketPath.ecn(trafficClass) != PacketPath.NOT_ECT && queuedBytes >= plan.markAtBytes()) {
            trafficClass |= PacketPath.CONGESTION_EXPERIENCED;
        }
        Arrived packet = new Arrived(
                bytes, Addresses.high(source), Addresses.low(source), from.sourcePort(path), trafficClass, index);
        if (closed || queuedBytes + packet.accounted() > plan.bufferBytes()) {
            run.log(() -> this + " drops " + bytes.length + " bytes: its buffer is full");
            return false;
        }
        queuedBytes += packet.accounted();
        queue.addLast(packet);
        lookSoon(0);
        return true;
    }

    private int sourcePort(PacketPath path) {
        return path.entropy() == 0 ? local.getPort() : sourcePort(path.entropy());
    }

    void unreachable(InetSocketAddress target) {
        if (!closed && !driver.dead()) {
            driver.enter(() -> events.onUnreachable(target));
        }
    }

    private void lookSoon(long delayNs) {
        if (!lookScheduled && !queue.isEmpty() && !closed) {
            lookScheduled = true;
            run.after(delayNs + run.weather().readinessDelayNs(), this::look);
        }
    }

    private void look() {
        lookScheduled = false;
        if (closed || driver.dead() || queue.isEmpty()) {
            return;
        }
        if (driver.paused()) {
            lookSoon(PAUSED_NS);
            return;
        }
        if (++repeats > MOST_REPEATS) {
            run.fail(this + " was reported readable " + MOST_REPEATS + " times and nothing was received: a busy loop");
        }
        driver.enter(events::onReadable);
        lookSoon((long) FIRST_REPEAT_NS << Math.min(repeats, MOST_DOUBLINGS));
    }

    @Override
    public void wantWritable(boolean wanted) {
        // The network always accepts packets and may lose them.
    }

    @Override
    public void join(InetAddress group) throws IOException {
        network.join(this, group);
    }

    @Override
    public void leave(InetAddress group) {
        network.leave(this, group);
    }

    @Override
    public void close() {
        closed = true;
        queue.clear();
        network.unbind(this);
    }

    @Override
    public String toString() {
        return "packet port " + local.getAddress().getHostAddress() + ":" + local.getPort();
    }
}
