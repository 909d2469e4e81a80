package io.verbena.rnic;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.port.Addresses;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketLoop;
import io.verbena.port.PacketPort;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Packet ports in memory: a packet is in the queue of its receiver as soon as it has been sent. */
final class MemoryPackets implements PacketLoop {

    private static final int GROUP_PACKETS = 64;
    private static final int GROUP_BYTES = 65_507;
    private static final int BUFFER_BYTES = 4 << 20;

    private final Map<InetSocketAddress, Port> ports = new LinkedHashMap<>();

    /** Maximum number of packets that a port sends before it has to wait; for tests of ports that are full. */
    int packetsPerCall = Integer.MAX_VALUE;

    /** If true, every use of a port fails. */
    boolean broken;

    /** Number of packets that were sent. */
    long sent;

    private record Packet(byte[] bytes, InetSocketAddress from, int trafficClass, int index, InetAddress to) {}

    @Override
    public PacketPort open(InetSocketAddress local, PacketEvents events) throws IOException {
        Port made = new Port(local, events);
        if (ports.putIfAbsent(local, made) != null) {
            throw new BindException("Address already in use: " + local);
        }
        return made;
    }

    /** Reports readiness; returns whether there was any to report. */
    boolean poll() {
        boolean any = false;
        for (Port port : List.copyOf(ports.values())) {
            any |= port.poll();
        }
        return any;
    }

    /** The host at an address is gone: packets for it are lost. */
    void vanish(InetSocketAddress address) {
        ports.remove(address);
    }

    /** A packet of the test arrives. */
    void inject(InetSocketAddress from, InetSocketAddress to, byte[] bytes) {
        Port target = ports.get(to);
        if (target != null) {
            target.arrived.add(new Packet(bytes, from, 0, 0, to.getAddress()));
        }
    }

    private final class Port implements PacketPort {
        private final InetSocketAddress local;
        private final PacketEvents events;
        private final ArrayDeque<Packet> arrived = new ArrayDeque<>();
        private final Set<InetAddress> groups = new HashSet<>();
        private boolean wantsWritable;

        Port(InetSocketAddress local, PacketEvents events) {
            this.local = local;
            this.events = events;
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
                ByteBuffer copy = ByteBuffer.allocate(list.length(packet));
                list.copyOut(packet, copy);
                PacketPath to = list.path(packet);
                InetAddress address = Addresses.address(to.addressHigh(), to.addressLow());
                Packet made = new Packet(copy.array(), local, to.trafficClass(), index, address);
                for (Port each : ports.values()) {
                    boolean unicast = each.local.equals(new InetSocketAddress(address, to.port()));
                    if (unicast || each != this && each.groups.contains(address)) {
                        each.arrived.add(made);
                    }
                }
                sent++;
                boolean last = packet + 1 == list.groupEnd(packet);
                index = last ? 0 : index + 1;
                packet++;
            }
            return packet;
        }

        @Override
        public int receive(PacketBatch batch) throws IOException {
            checkWorks();
            while (!arrived.isEmpty() && batch.fits(arrived.peekFirst().bytes().length)) {
                Packet next = arrived.removeFirst();
                int length = next.bytes().length;
                MemorySegment.copy(
                        next.bytes(), 0, batch.slab().segment(), ValueLayout.JAVA_BYTE, batch.used(), length);
                InetAddress source = next.from().getAddress();
                boolean group = next.to().isMulticastAddress();
                batch.sentTo(group ? Addresses.high(next.to()) : 0, group ? Addresses.low(next.to()) : 0);
                batch.add(
                        length,
                        Addresses.high(source),
                        Addresses.low(source),
                        next.from().getPort(),
                        next.trafficClass(),
                        next.index());
            }
            return batch.packets();
        }

        @Override
        public void wantWritable(boolean wanted) {
            wantsWritable = wanted;
        }

        @Override
        public void join(InetAddress group) {
            groups.add(group);
        }

        @Override
        public void leave(InetAddress group) {
            groups.remove(group);
        }

        @Override
        public void close() {
            ports.remove(local, this);
        }
    }
}
