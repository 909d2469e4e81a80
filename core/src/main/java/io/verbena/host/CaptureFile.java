package io.verbena.host;

import io.verbena.port.Capture;
import io.verbena.verbs.VerbsException;
import io.verbena.wire.PcapngWriter;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The capture file of an RNIC. Several times a second, and when the program ends, everything goes to the file: a program
 * that is killed leaves a capture that can be read.
 */
final class CaptureFile implements AutoCloseable {

    private static final long FLUSH_EVERY_MS = 200;
    private static final long CLOSE_TIMEOUT_NS = 5_000_000_000L;

    private final Capture capture;
    private final Thread flusher;
    private final Thread lastFlush;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition closing = lock.newCondition();
    private boolean closed;

    private CaptureFile(Capture capture) {
        this.capture = capture;
        flusher = new Thread(this::flushAgainAndAgain, "verbena-capture");
        flusher.setDaemon(true);
        lastFlush = new Thread(capture::flush, "verbena-capture-end");
    }

    /**
     * Starts a file, replacing one that is there.
     *
     * @throws VerbsException when it cannot be written, or another RNIC writes it
     */
    static CaptureFile open(String path) {
        Sink sink;
        PcapngWriter writer;
        try {
            sink = new Sink(path);
            writer = new PcapngWriter(sink, PcapngWriter.ETHERNET);
            writer.flush();
        } catch (IOException e) {
            throw new VerbsException("The capture file '" + path + "' cannot be written: " + plain(e), e);
        }
        Logger log = System.getLogger("io.verbena.capture");
        Capture capture = new Capture(
                writer,
                new WallClock(),
                failure -> log.log(
                        Logger.Level.WARNING,
                        "The capture file '" + path + "' ends early: " + Sentences.reason(failure)));
        CaptureFile file = new CaptureFile(capture);
        Runtime.getRuntime().addShutdownHook(file.lastFlush);
        file.flusher.start();
        return file;
    }

    /** The operating system's words without the path that the JDK puts before them: {@code path (reason)}. */
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

    private void flushAgainAndAgain() {
        boolean done = false;
        while (!done) {
            lock.lock();
            try {
                if (!closed && !closing.await(FLUSH_EVERY_MS, TimeUnit.MILLISECONDS)) {
                    capture.flush();
                }
            } catch (InterruptedException e) {
                closed = true; // nobody interrupts this thread but who wants it to end
            } finally {
                done = closed;
                lock.unlock();
            }
        }
    }

    /** Writes the rest and closes the file. */
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
            // The program is ending: the hook finds a closed capture.
        }
        Threads.join(flusher, CLOSE_TIMEOUT_NS);
    }

    /**
     * A file as a channel that an interrupt of the writing thread does not close, as it would close a FileChannel. Locked, so
     * that two RNICs do not write one file.
     */
    private static final class Sink implements WritableByteChannel {
        private final RandomAccessFile file;
        private boolean open = true;

        Sink(String path) throws IOException {
            file = new RandomAccessFile(new File(path), "rw");
            try {
                if (file.getChannel().tryLock() == null) {
                    throw new IOException("Another program is writing it");
                }
                file.setLength(0);
            } catch (OverlappingFileLockException e) {
                file.close();
                throw new IOException("Another RNIC of this program is writing it", e);
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
