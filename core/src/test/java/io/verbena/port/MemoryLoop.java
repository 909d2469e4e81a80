package io.verbena.port;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Streams in the memory of the test: no time, no randomness, level-triggered like a selector. */
final class MemoryLoop implements StreamLoop {

    private final Map<SocketAddress, AcceptEvents> listeners = new HashMap<>();
    private final List<MemoryStream> attached = new ArrayList<>();
    private int nextPort = 50_000;

    static InetSocketAddress address(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** One end; what the other end wrote waits in it. */
    static final class MemoryStream implements ByteStream {
        private final SocketAddress local;
        private final SocketAddress remote;
        private final Deque<Byte> arrived = new ArrayDeque<>();
        private @Nullable MemoryStream peer;
        private @Nullable StreamEvents events;
        private boolean wantsReadable;
        private boolean wantsWritable;
        private boolean peerEnded;
        private boolean peerReset;
        boolean closed;

        MemoryStream(SocketAddress local, SocketAddress remote) {
            this.local = local;
            this.remote = remote;
        }

        private MemoryStream peer() {
            MemoryStream other = peer;
            if (other == null) {
                throw new AssertionError("not connected");
            }
            return other;
        }

        @Override
        public int read(ByteBuffer target) throws IOException {
            if (peerReset) {
                throw new IOException("Connection reset");
            }
            if (arrived.isEmpty()) {
                return peerEnded ? END : 0;
            }
            int count = Math.min(target.remaining(), arrived.size());
            for (int i = 0; i < count; i++) {
                target.put(arrived.removeFirst());
            }
            return count;
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            if (peerReset) {
                throw new IOException("Broken pipe");
            }
            int count = source.remaining();
            while (source.hasRemaining()) {
                peer().arrived.addLast(source.get());
            }
            return count;
        }

        @Override
        public void wantWritable(boolean wanted) {
            wantsWritable = wanted;
        }

        @Override
        public void wantReadable(boolean wanted) {
            wantsReadable = wanted;
        }

        @Override
        public void shutdownOutput() {
            peer().peerEnded = true;
        }

        @Override
        public void close(boolean abortive) {
            closed = true;
            if (abortive) {
                peer().peerReset = true;
            } else {
                peer().peerEnded = true;
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
    }

    /** Tells what is ready; returns how much. */
    int poll() {
        int told = 0;
        for (MemoryStream stream : List.copyOf(attached)) {
            StreamEvents events = stream.events;
            boolean readable = !stream.arrived.isEmpty() || stream.peerEnded || stream.peerReset;
            if (events != null && !stream.closed && stream.wantsReadable && readable) {
                events.onReadable();
                told++;
            }
            if (events != null && !stream.closed && stream.wantsWritable) {
                events.onWritable();
                told++;
            }
        }
        return told;
    }

    @Override
    public void connect(SocketAddress remote, ConnectEvents events) {
        AcceptEvents listener = listeners.get(remote);
        if (listener == null) {
            events.onConnectFailed(true, "Nothing listens there.");
            return;
        }
        MemoryStream near = new MemoryStream(address(nextPort++), remote);
        MemoryStream far = new MemoryStream(remote, near.local);
        near.peer = far;
        far.peer = near;
        listener.onAccepted(far);
        events.onConnected(near);
    }

    @Override
    public Acceptor listen(SocketAddress local, int backlog, AcceptEvents events) {
        listeners.put(local, events);
        return new Acceptor() {
            @Override
            public SocketAddress localAddress() {
                return local;
            }

            @Override
            public void close() {
                listeners.remove(local);
            }
        };
    }

    @Override
    public void attach(ByteStream stream, StreamEvents events) {
        MemoryStream memory = (MemoryStream) stream;
        memory.events = events;
        memory.wantsReadable = true;
        memory.wantsWritable = false;
        attached.add(memory);
    }

    @Override
    public void detach(ByteStream stream) {
        MemoryStream memory = (MemoryStream) stream;
        memory.events = null;
        attached.remove(memory);
    }
}
