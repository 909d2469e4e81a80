package io.verbena.port.capture;

import io.verbena.base.TransmitList;
import io.verbena.port.ByteStream;
import io.verbena.port.SegmentStream;
import io.verbena.wire.PcapngWriter;
import io.verbena.wire.TcpTrace;
import io.verbena.wire.UdpTrace;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * One capture file for all connections and packet ports of an RNIC. Engines copy the bytes of their streams into a {@link CaptureRing};
 * {@link #drain} turns them into packets and writes them. If both ends of a connection belong to this RNIC, the end
 * seen first writes both directions and the other is ignored, so that no byte is in the file twice.
 *
 * <p>A capture never slows down traffic. Bytes that arrive faster than they can be written are omitted: sequence
 * numbers show where, packets show the number of missing packets before them, and the statistics at the end of the file
 * show the total. If the file cannot be written any more, or is full, this is reported once and the remaining bytes are
 * omitted.
 */
public final class Capture implements AutoCloseable {

    /** TCP payload of one captured packet: holds the largest FPDU, so that most packets start with one. */
    private static final int PACKET_PAYLOAD_BYTES = TcpTrace.MAX_SEGMENT;

    /** Receives a notification of the end of the capture. */
    public interface Listener {

        /** The file cannot be written any more. */
        void failed(IOException failure);

        /** The file has reached its limit. */
        void full();
    }

    private final PcapngWriter writer;
    private final LongSupplier wallClockNs;
    private final Listener listener;
    private final CaptureLimits limits;
    private final CaptureRing ring;
    private final Map<Integer, Recorded> recordings = new ConcurrentHashMap<>();

    /** The packet ports that are captured: what one of them sends to another is written once. */
    private final Set<InetSocketAddress> ports = ConcurrentHashMap.newKeySet();

    private volatile boolean finished;

    // Guarded by open.
    private final Set<Ends> open = new HashSet<>();
    private int lastConnection;

    // Guarded by this, used by the writing thread.
    private final ByteBuffer scratch = TcpTrace.scratch(PACKET_PAYLOAD_BYTES);
    private boolean dirty = true;
    private long writtenPackets;

    private record Ends(SocketAddress initiator, SocketAddress responder) {}

    /**
     * Creates a capture that writes to a file that has been started.
     *
     * @param wallClockNs nanoseconds since 1970
     * @param listener notified once, by the writing thread
     */
    public Capture(PcapngWriter writer, LongSupplier wallClockNs, CaptureLimits limits, Listener listener) {
        this.writer = writer;
        this.wallClockNs = wallClockNs;
        this.limits = limits;
        this.listener = listener;
        this.ring = new CaptureRing(limits.bufferBytes(), limits.snapBytes());
    }

    /** What a record belongs to. */
    sealed interface Recorded permits Recording, PacketRecording, FrameRecording {

        /** Whether no more records follow. */
        boolean ended();

        /** Writes a record to the file. Called by the writing thread. */
        void write(CaptureRing.Record head, MemorySegment memory, long offset) throws IOException;
    }

    /** One connection in the file. Used by its engine, except for the trace, which the writer uses. */
    final class Recording implements Recorded {
        private final Ends ends;
        private final int number;
        private final CaptureRing.Direction[] directions = new CaptureRing.Direction[2];
        private final TcpTrace trace;
        private boolean traceOpened;
        private long segmentOrigin;
        private volatile boolean ended;

        private Recording(Ends ends, int number) {
            this.ends = ends;
            this.number = number;
            for (TcpTrace.Side side : TcpTrace.Side.values()) {
                directions[side.ordinal()] = new CaptureRing.Direction(number, (byte) side.ordinal());
            }
            trace = new TcpTrace(
                    writer, internet(ends.initiator), internet(ends.responder), PACKET_PAYLOAD_BYTES, scratch);
        }

        private boolean idle() {
            return ended || finished;
        }

        /** Bytes of a buffer that have left or arrived. */
        void data(TcpTrace.Side from, ByteBuffer buffer, int start, int count) {
            if (idle()) {
                return;
            }
            ByteBuffer source = buffer.duplicate().clear();
            for (int done = 0; done < count; ) {
                int part = Math.min(PACKET_PAYLOAD_BYTES, count - done);
                synchronized (ring) {
                    if (ring.begin(directions[from.ordinal()], CaptureRing.DATA, part, wallClockNs.getAsLong())) {
                        ring.put(source, start + done, part);
                        ring.end();
                    }
                }
                done += part;
            }
        }

        /** The first bytes of a list have left: a packet for each unit, so that packets begin with FPDUs. */
        void data(TcpTrace.Side from, TransmitList list, int count) {
            if (idle()) {
                return;
            }
            Cursor cursor = new Cursor(list);
            int start = 0;
            for (int unit = 0; unit < list.units() && start < count; unit++) {
                int end = Math.min(list.unitEnd(unit), count);
                while (start < end) {
                    int part = Math.min(PACKET_PAYLOAD_BYTES, end - start);
                    synchronized (ring) {
                        if (ring.begin(directions[from.ordinal()], CaptureRing.DATA, part, wallClockNs.getAsLong())) {
                            cursor.put(start, start + part);
                            ring.end();
                        }
                    }
                    start += part;
                }
            }
        }

        /** From now on the bytes of a side arrive as segments; its next byte has this stream offset. */
        void segmentsBegin(TcpTrace.Side from, long firstOffset) {
            segmentOrigin = ring.position(directions[from.ordinal()]) - firstOffset;
        }

        /** Bytes of a segment that arrived, in any order. */
        void segment(TcpTrace.Side from, long streamOffset, ByteBuffer buffer, int start, int count) {
            synchronized (ring) {
                ring.seek(directions[from.ordinal()], segmentOrigin + streamOffset);
                data(from, buffer, start, count);
            }
        }

        void fin(TcpTrace.Side from) {
            synchronized (ring) {
                ring.seekEnd(directions[from.ordinal()]);
                mark(from, CaptureRing.FIN);
            }
        }

        void rst(TcpTrace.Side from) {
            mark(from, CaptureRing.RST);
            end();
        }

        private void mark(TcpTrace.Side from, byte kind) {
            if (!idle()) {
                synchronized (ring) {
                    if (ring.begin(directions[from.ordinal()], kind, 0, wallClockNs.getAsLong())) {
                        ring.end();
                    }
                }
            }
        }

        void end() {
            if (!ended) {
                ended = true;
                synchronized (open) {
                    open.remove(ends);
                }
            }
        }

        @Override
        public boolean ended() {
            return ended;
        }

        @Override
        public void write(CaptureRing.Record head, MemorySegment memory, long offset) throws IOException {
            TcpTrace.Side from = TcpTrace.Side.values()[head.side];
            if (!traceOpened) {
                traceOpened = true;
                trace.open(head.timeNs);
            }
            trace.missing(from, head.missingBytes, head.missingRecords);
            switch (head.kind) {
                case CaptureRing.DATA -> trace.data(from, memory, offset, head.captured, head.length, head.timeNs);
                case CaptureRing.FIN -> trace.fin(from, head.timeNs);
                case CaptureRing.RST -> trace.rst(from, head.timeNs);
                default -> {}
            }
        }
    }

    /** Copies ranges of a list, in order, to the current record. */
    private final class Cursor {
        private final TransmitList list;
        private int piece;
        private int pieceStart;

        Cursor(TransmitList list) {
            this.list = list;
        }

        void put(int start, int end) {
            int at = start;
            while (at < end) {
                while (at >= pieceStart + list.pieceLength(piece)) {
                    pieceStart += list.pieceLength(piece);
                    piece++;
                }
                int last = Math.min(end, pieceStart + list.pieceLength(piece));
                ByteBuffer buffer = list.piece(piece);
                int from = buffer.position() + at - pieceStart;
                ring.put(buffer, from, last - at);
                at = last;
            }
        }
    }

    /** A stream that also captures its bytes, or the stream itself if its other end is captured already. */
    CapturingStream capture(ByteStream stream, boolean initiator) {
        Ends ends = initiator
                ? new Ends(stream.localAddress(), stream.remoteAddress())
                : new Ends(stream.remoteAddress(), stream.localAddress());
        Recording recording;
        boolean fresh;
        synchronized (open) {
            recording = new Recording(ends, ++lastConnection);
            fresh = open.add(ends);
        }
        if (fresh && !finished) {
            recordings.put(recording.number, recording);
            recording.mark(TcpTrace.Side.INITIATOR, CaptureRing.OPEN);
        } else {
            recording.ended = true;
        }
        TcpTrace.Side near = initiator ? TcpTrace.Side.INITIATOR : TcpTrace.Side.RESPONDER;
        return stream instanceof SegmentStream segments
                ? new CapturingSegmentStream(segments, recording, near)
                : new CapturingStream(stream, recording, near);
    }

    /** Captures the packets of a port until it ends. */
    PacketRecording packets(InetSocketAddress local) {
        int number;
        synchronized (open) {
            number = ++lastConnection;
        }
        PacketRecording recording = new PacketRecording(ring, wallClockNs, number, local, new UdpTrace(writer), ports);
        if (!finished) {
            recordings.put(number, recording);
        }
        return recording;
    }

    /** Captures the frames of a link until it ends. */
    FrameRecording frames(boolean ethernet) {
        int number;
        synchronized (open) {
            number = ++lastConnection;
        }
        FrameRecording recording = new FrameRecording(ring, wallClockNs, number, writer, ethernet);
        if (!finished) {
            recordings.put(number, recording);
        }
        return recording;
    }

    // Writing.

    /** Writes down what waits; returns how many records that were. Any thread, one at a time. */
    public synchronized int drain() {
        // Before the records are taken: connections that end later may have added records that are not among them.
        Set<Integer> over = new HashSet<>();
        recordings.forEach((number, each) -> {
            if (each.ended()) {
                over.add(number);
            }
        });
        int records = ring.drain(this::write);
        recordings.keySet().removeAll(over);
        return records;
    }

    private void write(CaptureRing.Record head, MemorySegment memory, long offset) {
        Recorded recording = recordings.get(head.connection);
        if (finished || recording == null) {
            return;
        }
        if (limits.fileBytes() > 0 && writer.bytes() + TcpTrace.packetBytes(head.captured) > limits.fileBytes()) {
            finish();
            listener.full();
            return;
        }
        try {
            recording.write(head, memory, offset);
            writtenPackets++;
            dirty = true;
        } catch (IOException e) {
            fail(e);
        }
    }

    /** Writes everything captured so far to the file, so that the file can be read even if the program is killed. */
    public synchronized void flush() {
        drain();
        if (dirty && !finished) {
            dirty = false;
            try {
                writer.flush();
            } catch (IOException e) {
                fail(e);
            }
        }
    }

    private void fail(IOException failure) {
        finished = true;
        try {
            writer.close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
        listener.failed(failure);
    }

    /** Number of packets missing in the file because they arrived faster than they could be written. */
    public long droppedPackets() {
        return ring.droppedRecords();
    }

    /** Their bytes. */
    public long droppedBytes() {
        return ring.droppedBytes();
    }

    /** Closes the file, with all pending records and the statistics. Traffic continues without capture. */
    @Override
    public synchronized void close() {
        drain();
        if (!finished) {
            finish();
        }
    }

    private void finish() {
        finished = true;
        try {
            writer.statistics(wallClockNs.getAsLong(), writtenPackets + droppedPackets(), droppedPackets());
            writer.close();
        } catch (IOException e) {
            listener.failed(e);
        }
    }

    /** The internet address of an end. Ends of another kind (of a simulation) get a fixed address of 127/8 each. */
    private static InetSocketAddress internet(SocketAddress address) {
        if (address instanceof InetSocketAddress tcp && !tcp.isUnresolved()) {
            return tcp;
        }
        int hash = address.hashCode() * 0x9E37_79B9;
        String host = "127." + (hash >>> 24) + '.' + ((hash >>> 16) & 0xff) + '.' + (((hash >>> 8) & 0xff) | 1);
        return new InetSocketAddress(InetAddress.ofLiteral(host), (hash & 0x7fff) | 0x4000);
    }
}
