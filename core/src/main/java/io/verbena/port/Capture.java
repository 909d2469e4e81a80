package io.verbena.port;

import io.verbena.wire.PcapngWriter;
import io.verbena.wire.TcpTrace;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * One capture file for all connections of an RNIC. Its engines and whoever flushes it share one lock: capture is no hot
 * path. Both ends of a connection may be here (an RNIC connected to itself): the first one seen writes both directions and
 * the other is left out, so that no byte is in the file twice.
 *
 * <p>Capture never disturbs traffic: when the file cannot be written any more the failure is told once and the rest is lost.
 */
public final class Capture implements AutoCloseable {

    /** TCP payload of one captured packet: holds the largest FPDU, so that most packets start with one. */
    private static final int PACKET_PAYLOAD_BYTES = TcpTrace.MAX_SEGMENT;

    private final PcapngWriter writer;
    private final LongSupplier wallClockNs;
    private final Consumer<IOException> onFailure;
    private final Set<Ends> open = new HashSet<>();
    private boolean dirty = true;
    private boolean finished;

    private record Ends(SocketAddress initiator, SocketAddress responder) {}

    /**
     * A capture into a started file.
     *
     * @param wallClockNs nanoseconds since 1970
     * @param onFailure told once, under the lock
     */
    public Capture(PcapngWriter writer, LongSupplier wallClockNs, Consumer<IOException> onFailure) {
        this.writer = writer;
        this.wallClockNs = wallClockNs;
        this.onFailure = onFailure;
    }

    /** Something to write; the lock is held. */
    @FunctionalInterface
    private interface Step {
        void write(TcpTrace trace, long nowNs) throws IOException;
    }

    /** One connection in the file. */
    public final class Recording {
        private final Ends ends;
        private final TcpTrace trace;
        private boolean ended;

        private Recording(Ends ends) {
            this.ends = ends;
            this.trace = new TcpTrace(writer, internet(ends.initiator), internet(ends.responder), PACKET_PAYLOAD_BYTES);
        }

        void data(TcpTrace.Side from, MemorySegment bytes) {
            step((to, nowNs) -> to.data(from, bytes, 0, bytes.byteSize(), nowNs));
        }

        void fin(TcpTrace.Side from) {
            step((to, nowNs) -> to.fin(from, nowNs));
        }

        void rst(TcpTrace.Side from) {
            step((to, nowNs) -> to.rst(from, nowNs));
            end();
        }

        void end() {
            synchronized (Capture.this) {
                if (!ended) {
                    ended = true;
                    open.remove(ends);
                }
            }
        }

        private void step(Step step) {
            synchronized (Capture.this) {
                if (ended || finished) {
                    return;
                }
                try {
                    step.write(trace, wallClockNs.getAsLong());
                    dirty = true;
                } catch (IOException e) {
                    fail(e);
                }
            }
        }
    }

    /** A stream that also writes what goes over it, or the stream itself when its other end is captured here already. */
    CapturingStream capture(ByteStream stream, boolean initiator) {
        Ends ends = initiator
                ? new Ends(stream.localAddress(), stream.remoteAddress())
                : new Ends(stream.remoteAddress(), stream.localAddress());
        synchronized (this) {
            Recording recording = new Recording(ends);
            if (open.add(ends)) {
                recording.step(TcpTrace::open);
            } else {
                recording.ended = true;
            }
            return new CapturingStream(
                    stream, recording, initiator ? TcpTrace.Side.INITIATOR : TcpTrace.Side.RESPONDER);
        }
    }

    /** Hands what was written so far to the file, so that it can be read although this program may die. */
    public synchronized void flush() {
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
        onFailure.accept(failure);
    }

    /** Closes the file. Traffic goes on uncaptured. */
    @Override
    public synchronized void close() {
        if (!finished) {
            finished = true;
            try {
                writer.close();
            } catch (IOException e) {
                onFailure.accept(e);
            }
        }
    }

    /** The address as TCP has it; ends of another kind (a simulation's) get one of 127/8 that stays the same for each. */
    private static InetSocketAddress internet(SocketAddress address) {
        if (address instanceof InetSocketAddress tcp && !tcp.isUnresolved()) {
            return tcp;
        }
        int hash = address.hashCode() * 0x9E37_79B9;
        String host = "127." + (hash >>> 24) + '.' + ((hash >>> 16) & 0xff) + '.' + (((hash >>> 8) & 0xff) | 1);
        return new InetSocketAddress(InetAddress.ofLiteral(host), (hash & 0x7fff) | 0x4000);
    }
}
