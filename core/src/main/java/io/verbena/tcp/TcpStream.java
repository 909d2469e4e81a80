package io.verbena.tcp;

import io.verbena.base.TransmitList;
import io.verbena.port.CarrierFigures;
import io.verbena.port.SegmentStream;
import io.verbena.port.SegmentTaker;
import io.verbena.port.StreamEvents;
import io.verbena.tcp.connection.ConnectionEvents;
import io.verbena.tcp.connection.TcpConnection;
import io.verbena.tcp.receive.TcpReceiver;
import io.verbena.tcp.send.SendBuffer;
import io.verbena.tcp.send.TcpSender;
import io.verbena.tcp.state.TcpEnd;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A connection as the stream of an engine. */
final class TcpStream implements SegmentStream, ConnectionEvents {

    /** What happens when the handshake is complete or has failed. */
    interface Opened {

        void onOpened(TcpStream stream);

        void onFailed(TcpStream stream, TcpEnd end);
    }

    private final TcpHost host;
    private final Opened opened;
    private @Nullable TcpConnection tcpConnection;
    private boolean open;
    private @Nullable TcpLoop loop;
    private @Nullable StreamEvents owner;
    private boolean wantsReadable = true;
    private boolean wantsWritable;
    private boolean readable;
    private boolean writable;
    private boolean delivering;
    private int needed = 1;
    private boolean outputEnded;

    /** Whether the loop will report what has happened; kept by {@link TcpLoop}. */
    boolean queued;

    TcpStream(TcpHost host, Opened opened) {
        this.host = host;
        this.opened = opened;
    }

    void connection(TcpConnection connection) {
        tcpConnection = connection;
    }

    TcpConnection connection() {
        TcpConnection currentConnection = tcpConnection;
        if (currentConnection == null) {
            throw new IllegalStateException("the stream has no connection yet");
        }
        return currentConnection;
    }

    // Attachment.

    void attach(TcpLoop newLoop, StreamEvents events) {
        loop = newLoop;
        owner = events;
        wantsReadable = true;
        readable = true;
        reportSoon();
    }

    void detach() {
        loop = null;
        owner = null;
    }

    private void reportSoon() {
        TcpLoop currentConnection = loop;
        if (currentConnection != null && (readable && wantsReadable || writable && wantsWritable)) {
            currentConnection.reportSoon(this);
        }
    }

    /** Reports what has happened to the owner. Called by the loop. */
    void report() {
        StreamEvents events = owner;
        if (events != null && writable && wantsWritable && roomy()) {
            writable = false;
            events.onWritable();
        }
        events = owner;
        if (events != null && readable && wantsReadable) {
            readable = false;
            events.onReadable();
        }
    }

    private boolean roomy() {
        return connection().closed() || connection().sender().buffer().room() >= needed;
    }

    @Override
    public void onEstablished(TcpConnection connection) {
        open = true;
        opened.onOpened(this);
    }

    @Override
    public void onReadable() {
        readable = true;
        reportSoon();
    }

    @Override
    public void onWritable() {
        writable = true;
        reportSoon();
    }

    @Override
    public void onEnded(TcpConnection connection, TcpEnd end) {
        if (!open) {
            opened.onFailed(this, end);
            return;
        }
        readable = true;
        writable = true;
        reportSoon();
    }

    @Override
    public void wantReadable(boolean wanted) {
        wantsReadable = wanted;
        readable |= wanted
                && (connection().receiver().readable() > 0
                        || connection().receiver().offerable()
                        || connection().receiver().atEnd()
                        || connection().closed());
        reportSoon();
    }

    @Override
    public void wantWritable(boolean wanted) {
        wantsWritable = wanted;
        writable |= wanted && roomy();
        reportSoon();
    }

    // Reception.

    private void checkUnbroken() throws IOException {
        TcpEnd end = connection().end();
        if (end != null) {
            throw end.exception();
        }
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        if (delivering) {
            throw new IllegalStateException(this + " delivers segments: call receive");
        }
        TcpReceiver receiver = connection().receiver();
        if (connection().end() == null) {
            int count = receiver.read(target);
            if (count > 0) {
                consumed();
                return count;
            }
        }
        checkUnbroken();
        return target.hasRemaining() && receiver.atEnd() ? END : 0;
    }

    private void consumed() {
        connection().onConsumed(host.nowNs());
        host.touch(connection());
    }

    @Override
    public void deliverSegments(long firstOffset) {
        if (delivering) {
            throw new IllegalStateException(this + " delivers segments already");
        }
        delivering = true;
        connection().receiver().deliverSegments(firstOffset);
        if (connection().receiver().offerable()) {
            onReadable();
        }
    }

    @Override
    public int receive(SegmentTaker taker, int byteBudget) throws IOException {
        if (!delivering) {
            throw new IllegalStateException(this + " delivers bytes: call deliverSegments first");
        }
        TcpReceiver receiver = connection().receiver();
        checkUnbroken();
        int offered = receiver.receive(taker, byteBudget);
        if (offered > 0) {
            consumed();
        }
        return offered == 0 && receiver.atEnd() ? END : offered;
    }

    @Override
    public int segmentBytes() {
        return connection().sender().segmentBytes();
    }

    // Transmission.

    private SendBuffer toWrite() throws IOException {
        checkUnbroken();
        if (outputEnded) {
            throw new IOException("The output of " + this + " is shut down.");
        }
        return connection().sender().buffer();
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        int count = toWrite().append(source);
        needed = 1;
        written(count);
        return count;
    }

    @Override
    public boolean gathers() {
        return true;
    }

    @Override
    public int write(TransmitList list) throws IOException {
        SendBuffer buffer = toWrite();
        int count = list.units() == 0 ? 0 : buffer.append(list, segmentBytes());
        if (count < list.bytes()) {
            needed = nextUnit(list, count);
        }
        written(count);
        return count;
    }

    private static int nextUnit(TransmitList list, int written) {
        for (int i = 0; i < list.units(); i++) {
            if (list.unitEnd(i) > written) {
                return list.unitEnd(i) - written;
            }
        }
        return 1;
    }

    private void written(int count) {
        writable = false;
        if (count > 0) {
            host.touch(connection());
        }
    }

    @Override
    public void keepAlive(long boundNs) {
        connection().keepAlive(boundNs, host.nowNs());
        host.touch(connection());
    }

    @Override
    public boolean acknowledged() {
        TcpSender sender = connection().sender();
        return connection().closed() || sender.una() >= sender.buffer().end();
    }

    @Override
    public Optional<CarrierFigures> figures() {
        TcpConnection currentConnection = tcpConnection;
        return currentConnection == null ? Optional.empty() : Optional.of(currentConnection.figures());
    }

    @Override
    public void shutdownOutput() throws IOException {
        checkUnbroken();
        outputEnded = true;
        connection().shutdownOutput();
        host.touch(connection());
    }

    @Override
    public void close(boolean abortive) {
        outputEnded = true;
        connection().release(abortive, host.nowNs());
        detach();
        host.touch(connection());
    }

    @Override
    public SocketAddress localAddress() {
        return connection().key().localAddress();
    }

    @Override
    public SocketAddress remoteAddress() {
        return connection().key().remoteAddress();
    }

    @Override
    public String toString() {
        return "stream " + localAddress() + " to " + remoteAddress();
    }
}
