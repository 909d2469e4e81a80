package io.verbena.port.capture;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.port.Addresses;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketSender;
import io.verbena.wire.UdpTrace;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The packets of one port in a capture. Each record has what the headers of the packet need, then its bytes:
 *
 * <pre>
 *   | source 16 | destination 16 | source port 2 | destination port 2 | class 1 | free 1 | identification 2 | bytes |
 * </pre>
 *
 * The identification of IPv4 is the index of the packet in its group: what a port that sends groups puts on the wire.
 * Of a received packet it is the index as well, since the system does not show the field.
 */
final class PacketRecording implements Capture.Recorded {

    private final CaptureRing ring;
    private final LongSupplier wallClockNs;
    private final CaptureRing.Direction direction;
    private final InetSocketAddress local;
    private final long localHigh;
    private final long localLow;
    private final UdpTrace trace;
    private final Set<InetSocketAddress> captured;

    /** Source ports of paths that are captured. Guarded by the ring. */
    private final BitSet sourcePorts = new BitSet();

    /** Guarded by the ring, because several engines may send. */
    private final ByteBuffer head = ByteBuffer.allocate(UdpTrace.HEAD_BYTES);

    private volatile boolean ended;

    PacketRecording(
            CaptureRing ring,
            LongSupplier wallClockNs,
            int number,
            InetSocketAddress local,
            UdpTrace trace,
            Set<InetSocketAddress> captured) {
        this.ring = ring;
        this.wallClockNs = wallClockNs;
        this.direction = new CaptureRing.Direction(number, (byte) 0);
        this.local = local;
        this.localHigh = Addresses.high(local.getAddress());
        this.localLow = Addresses.low(local.getAddress());
        this.trace = trace;
        this.captured = captured;
        captured.add(local);
    }

    /** Packets of a list that the port has accepted. */
    void sent(PacketList list, int from, int to, PacketSender by) {
        int index = 0;
        int groupEnd = from;
        for (int packet = from; packet < to; packet++) {
            if (packet == groupEnd) {
                groupEnd = list.groupEnd(packet);
                index = 0;
            }
            PacketPath path = list.path(packet);
            synchronized (ring) {
                head.clear();
                head.putLong(localHigh)
                        .putLong(localLow)
                        .putLong(path.addressHigh())
                        .putLong(path.addressLow());
                ports(sourcePort(path.entropy(), by), path.port(), path.trafficClass(), index++);
                if (begin(list.length(packet))) {
                    for (int i = list.firstPiece(packet); i < list.firstPiece(packet + 1); i++) {
                        ByteBuffer piece = list.piece(i);
                        ring.put(piece, piece.position(), piece.remaining());
                    }
                    ring.end();
                }
            }
        }
    }

    /** The source port of a path. Another captured port has recorded the packets from it already. */
    private int sourcePort(int entropy, PacketSender by) {
        int port = entropy == 0 ? 0 : by.sourcePort(entropy);
        if (port == 0) {
            return local.getPort();
        }
        if (!sourcePorts.get(port)) {
            sourcePorts.set(port);
            captured.add(new InetSocketAddress(local.getAddress(), port));
        }
        return port;
    }

    /** Packets that have arrived; those of another captured port are in the file already. */
    void received(PacketBatch batch) {
        for (int packet = 0; packet < batch.packets(); packet++) {
            if (captured.size() > 1 && captured.contains(batch.source(packet))) {
                continue;
            }
            boolean toGroup = batch.toGroup(packet);
            int offset = batch.offset(packet);
            int length = batch.length(packet);
            synchronized (ring) {
                head.clear();
                head.putLong(batch.sourceHigh(packet)).putLong(batch.sourceLow(packet));
                head.putLong(toGroup ? batch.groupHigh(packet) : localHigh);
                head.putLong(toGroup ? batch.groupLow(packet) : localLow);
                ports(
                        batch.sourcePort(packet),
                        local.getPort(),
                        batch.trafficClass(packet),
                        batch.indexInGroup(packet));
                if (begin(length)) {
                    ring.put(batch.slab().range(offset, offset + length), offset, length);
                    ring.end();
                }
            }
        }
    }

    private void ports(int source, int destination, int trafficClass, int identification) {
        head.putShort((short) source).putShort((short) destination);
        head.put((byte) trafficClass).put((byte) 0).putShort((short) identification);
    }

    private boolean begin(int length) {
        if (ended) {
            return false;
        }
        boolean begun = ring.begin(
                direction,
                CaptureRing.DATA,
                UdpTrace.HEAD_BYTES,
                UdpTrace.HEAD_BYTES + length,
                wallClockNs.getAsLong());
        if (begun) {
            ring.put(head, 0, UdpTrace.HEAD_BYTES);
        }
        return begun;
    }

    /** The port is closed. */
    void end() {
        ended = true;
        captured.remove(local);
    }

    @Override
    public boolean ended() {
        return ended;
    }

    @Override
    public void write(CaptureRing.Record record, MemorySegment memory, long offset) throws IOException {
        trace.packet(memory, offset, record.captured, record.length, record.timeNs, record.missingRecords);
    }
}
