package io.verbena.host.socket;

import io.verbena.host.engine.LoopStream;
import io.verbena.host.system.JdkFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A TCP connection of the operating system. Reading and writing is one system call each and allocates nothing; buffers
 * must be direct, or the JDK would copy through one of its own.
 */
public final class SocketStream extends LoopStream {

    private final SocketChannel channel;
    private final SocketAddress local;
    private final SocketAddress remote;

    /** The loop this stream is attached to, with its key there. */
    @Nullable
    SocketLoop loop;

    @Nullable
    SelectionKey key;

    private int interest;
    private boolean borrowed;

    /** Whether the system drops what is not sent when the channel is closed, and resets the connection. */
    private boolean drops;

    /** Around a connected channel: sets it up for small messages without delay. */
    public SocketStream(SocketChannel channel) throws IOException {
        this.channel = channel;
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        local = channel.getLocalAddress();
        remote = channel.getRemoteAddress();
    }

    /** As the constructor, around a channel of an application, which may close it at any time. */
    public static SocketStream borrowed(SocketChannel channel) throws IOException {
        SocketStream socketStream = new SocketStream(channel);
        socketStream.borrowed = true;
        return socketStream;
    }

    /** Whether the application has closed its channel, which the selector does not report. */
    boolean takenAway() {
        return borrowed && !channel.isOpen();
    }

    boolean borrowed() {
        return borrowed;
    }

    SocketChannel channel() {
        return channel;
    }

    /** Selector operations that are requested now. */
    int interest() {
        return interest;
    }

    void interest(int operations) {
        interest = operations;
    }

    @Override
    public boolean wantsReadable() {
        return (interest & SelectionKey.OP_READ) != 0;
    }

    @Override
    public boolean wantsWritable() {
        return (interest & SelectionKey.OP_WRITE) != 0;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        assert target.isDirect() : "reading needs a direct buffer";
        try {
            int count = channel.read(target);
            if (count > 0) {
                readBytes += count;
            }
            return count;
        } catch (IOException e) {
            throw JdkFailure.typed(e);
        }
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        assert source.isDirect() : "writing needs a direct buffer";
        try {
            return channel.write(source);
        } catch (IOException e) {
            throw JdkFailure.typed(e);
        }
    }

    @Override
    public void wantWritable(boolean wanted) {
        want(SelectionKey.OP_WRITE, wanted);
    }

    @Override
    public void wantReadable(boolean wanted) {
        want(SelectionKey.OP_READ, wanted);
    }

    private void want(int operation, boolean wanted) {
        int operations = wanted ? interest | operation : interest & ~operation;
        if (operations == interest) {
            return;
        }
        interest = operations;
        SelectionKey currentKey = key;
        if (currentKey != null) {
            SocketLoop.interest(currentKey, operations);
        }
    }

    @Override
    public void keepAlive(long boundNs) {
        try {
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, boundNs > 0);
            int step = probeStepS(boundNs);
            for (SocketOption<?> option : boundNs > 0 ? channel.supportedOptions() : Set.<SocketOption<?>>of()) {
                // Options of the JDK's own module, which not every system supports: looked up by name.
                switch (option.name()) {
                    case "TCP_KEEPIDLE" -> channel.setOption(integer(option), step * SYSTEM_PROBES);
                    case "TCP_KEEPINTERVAL" -> channel.setOption(integer(option), step);
                    case "TCP_KEEPCOUNT" -> channel.setOption(integer(option), SYSTEM_PROBES);
                    default -> {}
                }
            }
        } catch (IOException e) {
            // The connection has already ended: the next read or write reports it.
        }
    }

    @Override
    public void resetIfKilled(boolean reset) {
        if (drops == reset) {
            return;
        }
        drops = reset;
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, reset ? 0 : -1);
        } catch (IOException e) {
            // The connection has already ended: nothing remains to be reset.
        }
    }

    @SuppressWarnings("unchecked") // these options are whole numbers
    private static SocketOption<Integer> integer(SocketOption<?> option) {
        return (SocketOption<Integer>) option;
    }

    @Override
    public void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    @Override
    public void close(boolean abortive) {
        if (!channel.isOpen()) {
            return;
        }
        SocketLoop currentLoop = loop;
        if (currentLoop != null) {
            currentLoop.closing(this);
        }
        resetIfKilled(abortive);
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException("closing a socket failed", e);
        }
    }

    @Override
    public SocketAddress localAddress() {
        return local;
    }

    @Override
    public SocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public String toString() {
        return "socket " + local + " to " + remote;
    }
}
