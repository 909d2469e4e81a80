package io.verbena.sockets.nio;

import io.verbena.sockets.stream.StreamSocket;
import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.FileChannel;
import java.util.function.Function;

/**
 * What {@code FileChannel.transferTo} and {@code transferFrom} do with channels of this provider in a JVM with the
 * agent: the system reads the file straight into the stream, or writes it straight from there. A channel by TCP gets
 * the file by the JDK's own way, {@code sendfile}. Without the agent the JDK maps the file and writes what it has
 * mapped, see {@link FileTargets}, and reads into buffers of 8 KiB.
 */
public final class CarriedFiles implements Function<Object[], Object> {

    /** Of a file to a channel that does not block, in one call: then others have their turn. */
    private static final long MOST_BYTES = 8 << 20;

    private static final long IMPOSSIBLE = -1;

    /** Called by the code that the agent adds to the JDK. */
    public CarriedFiles() {}

    /**
     * Transfers bytes.
     *
     * @param call the file channel, the position in it, the number of bytes, the channel, and whether the file is read
     * @return the number of bytes as a {@link Long}; an {@link IOException} that the JDK is to throw; {@code false} if
     *      the JDK is to transfer them in its own way
     */
    @Override
    public Object apply(Object[] call) {
        if (!(call[3] instanceof VerbenaSocketChannel channel)) {
            return false;
        }
        long count = (long) call[2];
        FilePart file = new FilePart((FileChannel) call[0], (long) call[1]);
        try {
            long bytes = (boolean) call[4] ? send(file, count, channel) : receive(channel, file, count);
            return bytes < 0 ? (Object) false : (Object) bytes;
        } catch (IOException e) {
            return e;
        }
    }

    private static long send(FilePart file, long count, VerbenaSocketChannel channel) throws IOException {
        channel.writeLock.lock();
        try {
            return switch (channel.writer()) {
                case PlainCarrier plain -> channel.writePlain(plain, file, count);
                case WaitedCarrier stream when channel.isBlocking() -> sendAll(file, count, channel, stream);
                case WaitedCarrier stream -> sendNow(file, Math.min(count, MOST_BYTES), stream);
                case null -> 0;
            };
        } finally {
            channel.writeLock.unlock();
        }
    }

    private static long sendNow(FilePart file, long count, WaitedCarrier stream) throws IOException {
        long done = 0;
        try {
            int bytes = 1;
            while (bytes > 0 && done < count) {
                bytes = stream.writeFrom(file, piece(count - done));
                done += Math.max(0, bytes);
            }
        } catch (IOException e) {
            if (done == 0) {
                throw e; // else the next call reports it
            }
        }
        return done == 0 && file.failed() ? IMPOSSIBLE : done;
    }

    private static int piece(long left) {
        return (int) Math.min(left, Integer.MAX_VALUE);
    }

    private static long sendAll(FilePart file, long count, VerbenaSocketChannel channel, WaitedCarrier stream)
            throws IOException {
        long done = 0;
        boolean waited = false;
        boolean ended = false;
        try {
            channel.beginWait();
            while (done < count && !ended && channel.isOpen() && !channel.outputShut()) {
                int bytes = stream.writeFrom(file, piece(count - done));
                done += Math.max(0, bytes);
                ended = bytes < 0;
                if (bytes == 0) {
                    waited = true;
                    stream.incomplete(done);
                    channel.beginWait(); // the file, which was read, had an interruptor of its own
                    channel.await(stream, StreamSocket.WRITABLE, Long.MAX_VALUE);
                }
            }
        } catch (IOException e) {
            if (done == 0) {
                throw e;
            }
        } finally {
            if (waited) {
                stream.incomplete(0);
            }
            channel.beginWait(); // an interrupt that has closed the file closes the channel, too
            channel.endWait(done > 0 || ended);
        }
        if (done == 0 && channel.outputShut()) {
            throw new AsynchronousCloseException(); // as a write
        }
        return done == 0 && file.failed() ? IMPOSSIBLE : done;
    }

    private static long receive(VerbenaSocketChannel channel, FilePart file, long count) throws IOException {
        channel.readLock.lock();
        try {
            if (!(channel.connected() instanceof WaitedCarrier stream)) {
                return IMPOSSIBLE;
            }
            return channel.isBlocking()
                    ? receiveAll(channel, stream, file, count)
                    : receiveNow(channel, stream, file, count);
        } finally {
            channel.readLock.unlock();
        }
    }

    private static long receiveNow(VerbenaSocketChannel channel, WaitedCarrier stream, FilePart file, long count)
            throws IOException {
        long done = 0;
        try {
            int bytes = 1;
            while (bytes > 0 && done < count && !channel.inputShut()) {
                file.limit(count - done);
                bytes = stream.readTo(file);
                done += Math.max(0, bytes);
            }
        } catch (IOException e) {
            if (done == 0) {
                throw e;
            }
        }
        return done;
    }

    private static long receiveAll(VerbenaSocketChannel channel, WaitedCarrier stream, FilePart file, long count)
            throws IOException {
        long done = 0;
        boolean ended = false;
        try {
            channel.beginWait();
            while (done < count && !ended && channel.isOpen()) {
                file.limit(count - done);
                int bytes = channel.inputShut() ? -1 : stream.readTo(file);
                done += Math.max(0, bytes);
                ended = bytes < 0;
                if (bytes == 0) {
                    channel.beginWait();
                    channel.await(stream, StreamSocket.READABLE, Long.MAX_VALUE);
                }
            }
        } catch (IOException e) {
            if (done == 0) {
                throw e;
            }
        } finally {
            channel.beginWait(); // an interrupt that has closed the file closes the channel, too
            channel.endWait(done > 0 || ended);
        }
        return done;
    }
}
