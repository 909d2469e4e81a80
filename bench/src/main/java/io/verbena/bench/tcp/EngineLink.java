package io.verbena.bench.tcp;

import com.sun.management.ThreadMXBean;
import io.verbena.host.TcpThread;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import io.verbena.port.faults.PacketFaults;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TcpCarrier;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The TCP of the library on this side, over a TUN device; everything happens in its thread. */
final class EngineLink implements TcpLink, AutoCloseable {

    private static final int PATIENCE_S = 60;

    private final TcpThread tcp;
    private final InetSocketAddress peer;

    /**
     * Opens the device.
     *
     * @param offload whether segments of up to 64 KiB pass through the device; otherwise each has the size of a packet
     */
    EngineLink(String device, InetSocketAddress peer, boolean offload) {
        this.peer = peer;
        RnicOptions options = RnicOptions.defaults().withDevice(device).withIwarp(it -> it.withTcp(TcpCarrier.TUN));
        System.setProperty("io.verbena.tcp.offload", offload ? "on" : "off");
        tcp = new TcpThread(options, PacketFaults.none());
    }

    @Override
    public void close() {
        tcp.close();
    }

    /** One connection; the result is a figure. */
    private abstract class Connection implements StreamLoop.ConnectEvents, StreamEvents {
        final CompletableFuture<Double> result = new CompletableFuture<>();
        final ByteBuffer chunk = ByteBuffer.allocateDirect(Role.CHUNK_BYTES);
        private final Role role;
        private final long milliseconds;
        private @Nullable ByteStream stream;
        long startNs;

        Connection(Role role, long milliseconds) {
            this.role = role;
            this.milliseconds = milliseconds;
        }

        double run() throws Exception {
            tcp.run(() -> tcp.streams().connect(peer, this));
            return result.get(PATIENCE_S, TimeUnit.SECONDS);
        }

        ByteStream stream() {
            ByteStream currentStream = stream;
            if (currentStream == null) {
                throw new IllegalStateException("not connected");
            }
            return currentStream;
        }

        @Override
        public void onConnected(ByteStream byteStream) {
            stream = byteStream;
            tcp.streams().attach(byteStream, this);
            startNs = System.nanoTime();
            guarded(() -> {
                byteStream.write(role.request(milliseconds));
                begin();
            });
        }

        @Override
        public void onConnectFailed(boolean refused, String sentence) {
            result.completeExceptionally(new IOException(sentence));
        }

        @Override
        public void onReadable() {
            guarded(this::readable);
        }

        @Override
        public void onWritable() {
            guarded(this::begin);
        }

        private interface Step {
            void run() throws IOException;
        }

        private void guarded(Step step) {
            try {
                step.run();
            } catch (IOException | RuntimeException e) {
                result.completeExceptionally(e);
                stream().close(true);
            }
        }

        void begin() throws IOException {}

        abstract void readable() throws IOException;

        void finish(double figure) {
            stream().close(false);
            result.complete(figure);
        }

        double perSecond(double count) {
            return count * 1e9 / (System.nanoTime() - startNs);
        }
    }

    @Override
    public double out(long milliseconds) throws Exception {
        return new Connection(Role.SINK, milliseconds) {
            private boolean shut;

            @Override
            void begin() throws IOException {
                while (!shut) {
                    if (System.nanoTime() - startNs >= milliseconds * 1_000_000) {
                        shut = true;
                        stream().wantWritable(false);
                        stream().shutdownOutput();
                        chunk.clear().limit(Long.BYTES);
                    } else if (stream().write(chunk.clear()) == 0) {
                        stream().wantWritable(true);
                        return;
                    }
                }
            }

            @Override
            void readable() throws IOException {
                if (shut && stream().read(chunk) > 0 && !chunk.hasRemaining()) {
                    finish(perSecond((double) chunk.flip().getLong()));
                }
            }
        }.run();
    }

    @Override
    public double in(long milliseconds) throws Exception {
        return new Connection(Role.SOURCE, milliseconds) {
            private long bytes;

            @Override
            void readable() throws IOException {
                int count;
                while ((count = stream().read(chunk.clear())) > 0) {
                    bytes += count;
                }
                if (count == ByteStream.END) {
                    finish(perSecond((double) bytes));
                }
            }
        }.run();
    }

    @Override
    public double halfRoundTripUs(int rounds) throws Exception {
        long[] roundNs = new long[rounds];
        return new Connection(Role.ECHO, 0) {
            private int done;
            private long sentNs;
            private boolean begun;

            @Override
            void begin() throws IOException {
                if (!begun) {
                    begun = true;
                    send();
                }
            }

            private void send() throws IOException {
                sentNs = System.nanoTime();
                stream().write(chunk.clear().limit(Role.MESSAGE_BYTES));
                chunk.clear().limit(Role.MESSAGE_BYTES);
            }

            @Override
            void readable() throws IOException {
                while (stream().read(chunk) > 0 && !chunk.hasRemaining()) {
                    roundNs[done++] = System.nanoTime() - sentNs;
                    if (done == rounds) {
                        Arrays.sort(roundNs);
                        finish(roundNs[rounds / 2] / 2e3);
                        return;
                    }
                    send();
                }
            }
        }.run();
    }

    /** A snapshot of what the thread has sent, received and allocated. */
    record Counts(long segmentsOut, long segmentsIn, long allocatedBytes, long atNs) {}

    Counts counts() throws Exception {
        CompletableFuture<Counts> counted = new CompletableFuture<>();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        tcp.run(() -> counted.complete(new Counts(
                tcp.counters().segmentsOut(),
                tcp.counters().segmentsIn(),
                threads.getCurrentThreadAllocatedBytes(),
                System.nanoTime())));
        return counted.get(PATIENCE_S, TimeUnit.SECONDS);
    }
}
