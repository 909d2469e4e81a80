package io.verbena.rnic.ib;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.port.Addresses;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketLoop;
import io.verbena.port.PacketPort;
import io.verbena.port.PacketSender;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Packet ports in memory: a packet is in the queue of its receiver as soon as it has been sent. Packets are recycled, so
 * that the allocation of engines can be measured.
 */
public final class MemoryPackets implements PacketLoop {

    private static final int GROUP_PACKETS = 64;
    private static final int GROUP_BYTES = 65_507;
    private static final int BUFFER_BYTES = 4 << 20;
    private static final int LARGEST_PACKET_BYTES = 8192;

    private final List<Port> ports = new ArrayList<>();
    private final ArrayDeque<Packet> free = new ArrayDeque<>();

    /** Maximum number of packets that a port sends before it has to wait; for tests of ports that are full. */
    int packetsPerCall = Integer.MAX_VALUE;

    /** If true, every use of a port fails. */
    boolean broken;

    /** Number of packets that were sent. */
    long sent;

    /** Receives a copy of each packet that is delivered, if present. */
    Optional<Consumer<byte[]>> tap = Optional.empty();

    /** If true, the network marks the packets that may be marked, as a congested router does. */
    boolean congested;

    /** Packets of this kind are held back until {@link #release}. */
    Predicate<byte[]> holds = packet -> false;

    private final List<Runnable> held = new ArrayList<>();

    private static final class Packet {
        final byte[] bytes = new byte[LARGEST_PACKET_BYTES];
        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        int length;
        long fromHigh;
        long fromLow;
        int fromPort;
        long groupHigh;
        long groupLow;
        int trafficClass;
        int index;
    }

    @Override
    public PacketPort open(InetSocketAddress local, PacketEvents events) throws IOException {
        for (Port port : ports) {
            if (port.local.equals(local)) {
                throw new BindException("Address already in use: " + local);
            }
        }
        Port created = new Port(local, events);
        ports.add(created);
        return created;
    }

    /** Reports readiness; returns whether there was any to report. */
    public boolean poll() {
        boolean any = false;
        for (int i = ports.size() - 1; i >= 0; i--) {
            any |= ports.get(i).poll();
        }
        return any;
    }

    /** The host at an address is gone: packets for it are lost. */
    public void vanish(InetSocketAddress address) {
        ports.removeIf(port -> port.local.equals(address));
    }

    /** Delivers the packets that were held back, and holds none from now on. */
    void release() {
        holds = packet -> false;
        held.forEach(Runnable::run);
        held.clear();
    }

    /** The network reports to a host that packets for a destination were not delivered (ICMP), whether or not that is true. */
    void reportUnreachable(InetSocketAddress host, InetSocketAddress destination) {
        for (Port port : List.copyOf(ports)) {
            if (port.local.equals(host)) {
                port.events.onUnreachable(destination);
            }
        }
    }

    /** The system of a destination reports to the RNIC of a host that no process has the port. */
    void reportRefused(InetSocketAddress host, InetSocketAddress destination) {
        for (Port port : List.copyOf(ports)) {
            if (port.local.equals(host)) {
                port.events.onRefused(destination);
            }
        }
    }

    /** A packet of the test arrives. */
    void inject(InetSocketAddress from, InetSocketAddress to, byte[] bytes) {
        for (Port port : ports) {
            if (port.local.equals(to)) {
                Packet packet = unused();
                packet.buffer.clear().put(bytes);
                packet.length = bytes.length;
                packet.fromHigh = Addresses.high(from.getAddress());
                packet.fromLow = Addresses.low(from.getAddress());
                packet.fromPort = from.getPort();
                packet.groupHigh = 0;
                packet.groupLow = 0;
                packet.trafficClass = 0;
                packet.index = 0;
                port.arrived.add(packet);
            }
        }
    }

    private Packet unused() {
        Packet packet = free.pollFirst();
        return packet == null ? new Packet() : packet;
    }

    private final class Port implements PacketPort {
        private final InetSocketAddress local;
        private final PacketEvents events;
        private final long high;
        private final long low;
        private final ArrayDeque<Packet> arrived = new ArrayDeque<>();
        private final List<PacketPath> groups = new ArrayList<>();
        private boolean wantsWritable;

        Port(InetSocketAddress local, PacketEvents events) {
            this.local = local;
            this.events = events;
            high = Addresses.high(local.getAddress());
            low = Addresses.low(local.getAddress());
        }

        boolean poll() {
            boolean readable = !arrived.isEmpty();
            boolean writable = wantsWritable;
            if (readable) {
                events.onReadable();
            }
            if (writable) {
                events.onWritable();
            }
            return readable || writable;
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
            return BUFFER_BYTES;
        }

        private void checkWorks() throws IOException {
            if (broken) {
                throw new IOException("the network is gone");
            }
        }

        @Override
        public int send(PacketList list, int from) throws IOException {
            checkWorks();
            int left = packetsPerCall;
            int packet = from;
            int index = 0;
            while (packet < list.packets() && left-- > 0) {
                for (int i = ports.size() - 1; i >= 0; i--) {
                    deliver(list, packet, index, ports.get(i));
                }
                sent++;
                boolean last = packet + 1 == list.groupEnd(packet);
                index = last ? 0 : index + 1;
                packet++;
            }
            return packet;
        }

        @Override
        public PacketSender share(Consumer<InetSocketAddress> unreachable) {
            PacketPort port = this;
            return new PacketSender() {
                @Override
                public int groupPackets() {
                    return port.groupPackets();
                }

                @Override
                public int groupBytes() {
                    return port.groupBytes();
                }

                @Override
                public int send(PacketList list, int from) throws IOException {
                    return port.send(list, from);
                }

                @Override
                public void close() {}
            };
        }

        private void deliver(PacketList list, int packet, int index, Port to) {
            PacketPath path = list.path(packet);
            boolean group = to != this && to.member(path);
            boolean unicast =
                    path.addressHigh() == to.high && path.addressLow() == to.low && path.port() == to.local.getPort();
            if (!group && !unicast) {
                return;
            }
            Packet copy = unused();
            list.copyOut(packet, copy.buffer.clear());
            copy.length = list.length(packet);
            copy.fromHigh = high;
            copy.fromLow = low;
            copy.fromPort = local.getPort();
            copy.groupHigh = group ? path.addressHigh() : 0;
            copy.groupLow = group ? path.addressLow() : 0;
            copy.trafficClass = path.trafficClass();
            if (congested && PacketPath.ecn(copy.trafficClass) != PacketPath.NOT_ECT) {
                copy.trafficClass |= PacketPath.CONGESTION_EXPERIENCED;
            }
            copy.index = index;
            if (holds.test(copy.bytes)) {
                held.add(() -> to.arrived.add(copy));
            } else {
                to.arrived.add(copy);
            }
            if (tap.isPresent()) {
                tap.get().accept(Arrays.copyOf(copy.bytes, copy.length));
            }
        }

        private boolean member(PacketPath path) {
            for (int i = 0; i < groups.size(); i++) {
                PacketPath group = groups.get(i);
                if (group.addressHigh() == path.addressHigh() && group.addressLow() == path.addressLow()) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public int receive(PacketBatch batch) throws IOException {
            checkWorks();
            while (!arrived.isEmpty() && batch.fits(arrived.peekFirst().length)) {
                Packet next = arrived.removeFirst();
                MemorySegment.copy(
                        next.bytes, 0, batch.slab().segment(), ValueLayout.JAVA_BYTE, batch.used(), next.length);
                batch.sentTo(next.groupHigh, next.groupLow);
                batch.add(next.length, next.fromHigh, next.fromLow, next.fromPort, next.trafficClass, next.index);
                free.add(next);
            }
            return batch.packets();
        }

        @Override
        public void wantWritable(boolean wanted) {
            wantsWritable = wanted;
        }

        @Override
        public void join(InetAddress group) {
            groups.add(new PacketPath(Addresses.high(group), Addresses.low(group), local.getPort(), 0));
        }

        @Override
        public void leave(InetAddress group) {
            groups.removeIf(each -> each.addressLow() == Addresses.low(group));
        }

        @Override
        public void close() {
            ports.remove(this);
        }
    }
}
