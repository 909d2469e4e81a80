package io.verbena.host;

import io.verbena.host.system.Sentences;
import io.verbena.host.system.Threads;
import io.verbena.host.system.WallClock;
import io.verbena.port.capture.Capture;
import io.verbena.port.capture.CaptureLimits;
import io.verbena.verbs.VerbsException;
import io.verbena.wire.PcapngWriter;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The capture file of an RNIC, and the thread that writes it while engines run. Several times per second, and when the
 * program ends, all bytes are written to the file, so that the capture of a killed program can be read.
 */
final class CaptureFile implements AutoCloseable {

    private static final long FLUSH_EVERY_NS = 200_000_000L;

    /**
     * Time that the writer sleeps when there is nothing to write: at the maximum rate of loopback, a third of the
     * buffer.
     */
    private static final long REST_NS = 3_000_000L;

    private static final long CLOSE_TIMEOUT_NS = 5_000_000_000L;

    private static final Logger LOGGER = System.getLogger("io.verbena.capture");

    private final String path;
    private final Capture capture;
    private final Thread writer;
    private final Thread lastFlush;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition closing = lock.newCondition();
    private boolean closed;

    private CaptureFile(String path, Capture capture) {
        this.path = path;
        this.capture = capture;
        writer = new Thread(this::writeAgainAndAgain, "verbena-capture");
        writer.setDaemon(true);
        lastFlush = new Thread(capture::flush, "verbena-capture-end");
    }

    /** Starts a file of Ethernet frames. */
    static CaptureFile open(String path, CaptureLimits limits) {
        return open(path, limits, PcapngWriter.ETHERNET);
    }

    /**
     * Starts a file, and replaces an existing one.
     *
     * @param limits limits of the capture
     * @param linkType the kind of packets, such as {@link PcapngWriter#ETHERNET}
     * @throws VerbsException if the file cannot be written, or another RNIC writes it
     */
    static CaptureFile open(String path, CaptureLimits limits, int linkType) {
        Sink sink;
        PcapngWriter writer;
        try {
            sink = new Sink(path);
            writer = new PcapngWriter(sink, linkType);
            writer.flush();
        } catch (IOException e) {
            throw new VerbsException("The capture file '" + path + "' cannot be written: " + plain(e), e);
        }
        CaptureFile file =
                new CaptureFile(path, new Capture(writer, new WallClock(), limits, new Ends(path, limits.fileBytes())));
        try {
            Runtime.getRuntime().addShutdownHook(file.lastFlush);
        } catch (IllegalStateException e) {
            throw new VerbsException("The capture file '" + path + "' is not begun, because the process is ending.", e);
        }
        file.writer.start();
        return file;
    }

    /** Logs that a capture ends before its traffic does. */
    private record Ends(String path, long limitBytes) implements Capture.Listener {

        @Override
        public void failed(IOException failure) {
            LOGGER.log(
                    Logger.Level.WARNING, "The capture file '" + path + "' ends early: " + Sentences.reason(failure));
        }

        @Override
        public void full() {
            LOGGER.log(
                    Logger.Level.WARNING,
                    "The capture file '" + path + "' has reached its limit of " + limitBytes
                            + " bytes and ends here. A higher capture-limit, or a lower capture-snap, keeps more.");
        }
    }

    /** The message of the operating system without the path that the JDK adds: {@code path (reason)}. */
    private static String plain(IOException failure) {
        String message = String.valueOf(failure.getMessage());
        int bracket = message.lastIndexOf('(');
        return bracket > 0 && message.endsWith(")")
                ? Sentences.reason(new IOException(message.substring(bracket + 1, message.length() - 1)))
                : Sentences.reason(failure);
    }

    Capture capture() {
        return capture;
    }

    private void writeAgainAndAgain() {
        boolean done = false;
        long flushedNs = System.nanoTime();
        while (!done) {
            int records = capture.drain();
            if (System.nanoTime() - flushedNs >= FLUSH_EVERY_NS) {
                capture.flush();
                flushedNs = System.nanoTime();
            }
            lock.lock();
            try {
                if (!closed && records == 0) {
                    long _ = closing.awaitNanos(REST_NS);
                }
            } catch (InterruptedException e) {
                closed = true; // this thread is interrupted only to end it
            } finally {
                done = closed;
                lock.unlock();
            }
        }
    }

    /** Writes the remaining bytes and closes the file. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            closing.signal();
        } finally {
            lock.unlock();
        }
        capture.close();
        try {
            Runtime.getRuntime().removeShutdownHook(lastFlush);
        } catch (IllegalStateException e) {
            // The program is ending: the shutdown hook finds a closed capture.
        }
        Threads.join(writer, CLOSE_TIMEOUT_NS);
        if (capture.droppedPackets() > 0) {
            LOGGER.log(
                    Logger.Level.WARNING,
                    "The capture file '" + path + "' lacks " + capture.droppedPackets() + " packets with "
                            + capture.droppedBytes() + " bytes, which arrived faster than they could be written.");
        }
    }

    /**
     * A file as a channel that an interrupt of the writing thread does not close, as it would close a FileChannel.
     * Locked, so that two RNICs do not write one file.
     */
    private static final class Sink implements WritableByteChannel {
        private final RandomAccessFile file;
        private boolean open = true;

        Sink(String path) throws IOException {
            file = new RandomAccessFile(new File(path), "rw");
            try {
                if (file.getChannel().tryLock() == null) {
                    throw new IOException("another program is writing it");
                }
                file.setLength(0);
            } catch (OverlappingFileLockException e) {
                file.close();
                throw new IOException("another RNIC of this program is writing it", e);
            } catch (IOException e) {
                file.close();
                throw e;
            }
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            int count = source.remaining();
            file.write(source.array(), source.arrayOffset() + source.position(), count);
            source.position(source.limit());
            return count;
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public void close() throws IOException {
            open = false;
            file.close();
        }
    }
}
