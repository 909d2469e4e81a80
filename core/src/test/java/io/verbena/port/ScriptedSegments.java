package io.verbena.port;

import io.verbena.base.Slab;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A TCP whose arrivals the test gives: it offers each segment once, and then what was not taken in order. Also the loop
 * of this one stream.
 */
public final class ScriptedSegments implements SegmentStream, StreamLoop {

    /** A segment as it was taken: offset and text. */
    public record Taken(long offset, String text) {}

    private final Deque<Taken> arriving = new ArrayDeque<>();
    private final List<Taken> refused = new ArrayList<>();
    private final Slab slab = new Slab(1024);
    private boolean ended;
    private @Nullable StreamEvents events;

    /** Segments arrive. */
    public void arrive(long offset, String text) {
        arriving.addLast(new Taken(offset, text));
        StreamEvents owner = events;
        if (owner != null) {
            owner.onReadable();
        }
    }

    /** The peer has ended its direction. */
    public void end() {
        ended = true;
    }

    @Override
    public void deliverSegments(long firstOffset) {}

    @Override
    public int receive(SegmentTaker taker, int byteBudget) throws IOException {
        List<Taken> again = List.copyOf(refused);
        refused.clear();
        int offered = 0;
        for (Taken each : again) {
            offered += offer(taker, each);
        }
        while (!arriving.isEmpty()) {
            offered += offer(taker, arriving.removeFirst());
        }
        return offered == 0 && ended && refused.isEmpty() ? END : offered;
    }

    private int offer(SegmentTaker taker, Taken segment) {
        byte[] bytes = segment.text().getBytes(StandardCharsets.US_ASCII);
        MemorySegment.copy(bytes, 0, slab.segment(), ValueLayout.JAVA_BYTE, 10, bytes.length);
        taker.onSegment(segment.offset(), slab, 10, 10 + bytes.length);
        int head = (int) (taker.takenFrom() - segment.offset());
        int tail = (int) (taker.takenTo() - segment.offset());
        if (tail <= head) {
            refused.add(segment);
        } else {
            refuse(segment, 0, head);
            refuse(segment, tail, bytes.length);
        }
        return bytes.length;
    }

    private void refuse(Taken segment, int from, int to) {
        if (from < to) {
            refused.add(new Taken(segment.offset() + from, segment.text().substring(from, to)));
        }
    }

    @Override
    public int segmentBytes() {
        return 100;
    }

    @Override
    public int read(ByteBuffer target) {
        return 0;
    }

    @Override
    public int write(io.verbena.base.TransmitList list) {
        return list.bytes();
    }

    @Override
    public int write(ByteBuffer source) {
        return source.remaining();
    }

    @Override
    public void wantWritable(boolean wanted) {}

    @Override
    public void wantReadable(boolean wanted) {}

    @Override
    public void shutdownOutput() {}

    @Override
    public void close(boolean abortive) {}

    @Override
    public SocketAddress localAddress() {
        return new InetSocketAddress("10.0.0.1", 1);
    }

    @Override
    public SocketAddress remoteAddress() {
        return new InetSocketAddress("10.0.0.2", 2);
    }

    // The loop.

    @Override
    public void connect(SocketAddress remote, ConnectEvents connecting) {
        connecting.onConnected(this);
    }

    @Override
    public void connect(Optional<SocketAddress> local, SocketAddress remote, ConnectEvents connecting) {
        connecting.onConnected(this);
    }

    @Override
    public Acceptor listen(SocketAddress local, int backlog, AcceptEvents accepting) {
        throw new UnsupportedOperationException("no listener in this script");
    }

    @Override
    public void attach(ByteStream stream, StreamEvents owner) {
        events = owner;
    }

    @Override
    public void detach(ByteStream stream) {
        events = null;
    }
}
