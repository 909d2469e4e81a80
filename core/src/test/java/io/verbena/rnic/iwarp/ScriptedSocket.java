package io.verbena.rnic.iwarp;

import io.verbena.base.TransmitList;
import io.verbena.port.ByteStream;
import io.verbena.port.SegmentStream;
import io.verbena.port.SegmentTaker;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A stream, and the loop that watches it, that do what the test says and write down what is requested of them. */
final class ScriptedSocket implements SegmentStream, StreamLoop {

    final List<String> calls = new ArrayList<>();

    /** What the next reads return. */
    int readable;

    /** How many bytes the next writes accept. */
    int accepts;

    /** Thrown by the next call that can fail. */
    Optional<Exception> failure = Optional.empty();

    boolean gathers;
    boolean shortReadIsAll;
    boolean acknowledged;
    String refusal = "";
    private @Nullable StreamEvents events;

    StreamEvents events() {
        if (events == null) {
            throw new AssertionError("not attached");
        }
        return events;
    }

    List<String> takeCalls() {
        List<String> taken = List.copyOf(calls);
        calls.clear();
        return taken;
    }

    private void failIfScripted() throws IOException {
        if (failure.isPresent()) {
            Exception thrown = failure.get();
            if (thrown instanceof IOException e) {
                throw e;
            }
            throw (RuntimeException) thrown;
        }
    }

    private int taken(ByteBuffer target) throws IOException {
        failIfScripted();
        if (readable == END) {
            return END;
        }
        int count = Math.min(readable, target.remaining());
        target.position(target.position() + count);
        readable -= count;
        return count;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return taken(target);
    }

    @Override
    public int read(ByteBuffer first, long firstAddress, ByteBuffer second, long secondAddress) throws IOException {
        int count = taken(first);
        return gathers && count >= 0 ? count + taken(second) : count;
    }

    @Override
    public boolean acknowledged() {
        return acknowledged;
    }

    @Override
    public String refusal() {
        return refusal;
    }

    @Override
    public boolean shortReadIsAll() {
        return shortReadIsAll;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        failIfScripted();
        int count = Math.min(accepts, source.remaining());
        calls.add("wrote " + count + " of " + source.remaining());
        source.position(source.position() + count);
        accepts -= count;
        return count;
    }

    @Override
    public int write(TransmitList list) throws IOException {
        failIfScripted();
        int count = Math.min(accepts, list.bytes());
        calls.add("wrote " + count + " of " + list.bytes());
        accepts -= count;
        return count;
    }

    @Override
    public boolean gathers() {
        return gathers;
    }

    @Override
    public void wantWritable(boolean wanted) {
        calls.add("wantWritable " + wanted);
    }

    @Override
    public void wantReadable(boolean wanted) {
        calls.add("wantReadable " + wanted);
    }

    @Override
    public void keepAlive(long boundNs) {
        calls.add("keepAlive " + boundNs);
    }

    @Override
    public void shutdownOutput() throws IOException {
        failIfScripted();
        calls.add("shutdownOutput");
    }

    @Override
    public void close(boolean abortive) {
        calls.add(abortive ? "reset" : "close");
    }

    @Override
    public SocketAddress localAddress() {
        return InetSocketAddress.createUnresolved("here", 1);
    }

    @Override
    public SocketAddress remoteAddress() {
        return InetSocketAddress.createUnresolved("there", 2);
    }

    @Override
    public void deliverSegments(long firstOffset) {
        calls.add("deliverSegments " + firstOffset);
    }

    @Override
    public int receive(SegmentTaker taker, int byteBudget) throws IOException {
        failIfScripted();
        return Math.min(readable, byteBudget);
    }

    @Override
    public int segmentBytes() {
        return 1448;
    }

    // The loop.

    @Override
    public void connect(SocketAddress remote, ConnectEvents connectEvents) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Acceptor listen(SocketAddress local, int backlog, AcceptEvents acceptEvents) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void attach(ByteStream stream, StreamEvents streamEvents) {
        events = streamEvents;
    }

    @Override
    public void detach(ByteStream stream) {
        calls.add("detach");
    }
}
