package io.verbena.tcp;

import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * The streams of one engine over a {@link TcpHost}. The driver of the engine calls {@link #report} after it has given packets and
 * time to the host.
 */
public final class TcpLoop implements StreamLoop {

    private final TcpHost host;
    private final Runnable wake;
    private final Deque<TcpStream> streams = new ArrayDeque<>();
    private final Deque<Runnable> actions = new ArrayDeque<>();

    TcpLoop(TcpHost host, Runnable wake) {
        this.host = host;
        this.wake = wake;
    }

    /** Whether {@link #report} has something to report. */
    public boolean reporting() {
        return !streams.isEmpty() || !actions.isEmpty();
    }

    /** Reports connections, readiness and failures; returns the number of reports. */
    public int report() {
        int reports = 0;
        // What is added meanwhile is reported in the next call.
        for (int left = actions.size(); left > 0; left--) {
            actions.removeFirst().run();
            reports++;
        }
        for (int left = streams.size(); left > 0 && !streams.isEmpty(); left--) {
            TcpStream stream = streams.removeFirst();
            stream.queued = false;
            stream.report();
            reports++;
        }
        return reports;
    }

    void reportSoon(TcpStream stream) {
        if (!stream.queued) {
            stream.queued = true;
            streams.addLast(stream);
            wake.run();
        }
    }

    void soon(Runnable action) {
        actions.addLast(action);
        wake.run();
    }

    @Override
    public void connect(SocketAddress remote, ConnectEvents events) {
        connect(Optional.empty(), remote, events);
    }

    @Override
    public void connect(Optional<SocketAddress> local, SocketAddress remote, ConnectEvents events) {
        host.connect(this, local, remote, events);
    }

    @Override
    public void giveUpConnecting(ConnectEvents events) {
        host.giveUpConnecting(events);
    }

    @Override
    public Acceptor listen(SocketAddress local, int backlog, AcceptEvents events) throws IOException {
        return host.listen(this, local, backlog, events);
    }

    @Override
    public void attach(ByteStream stream, StreamEvents events) {
        ((TcpStream) stream).attach(this, events);
    }

    @Override
    public void detach(ByteStream stream) {
        ((TcpStream) stream).detach();
    }
}
