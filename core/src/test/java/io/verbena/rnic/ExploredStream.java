package io.verbena.rnic;

import io.verbena.base.Digest;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import io.verbena.wire.FpduHeader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Optional;

/**
 * One end of a stream without timing: bytes written by the other end are in transit until the explorer delivers
 * them, by frame or part of a frame; the same applies to FIN and RST.
 */
class ExploredStream implements ByteStream {

    private static final int START_FRAME = 20;

    /** Begins a unit that is a message, with its length: no frame begins so. */
    private static final byte MESSAGE = -1;

    private static final int MESSAGE_HEADER = 2;

    private byte[] transit = {};
    private byte[] arrived = {};
    private boolean tornFrame;
    private int restOfTorn;
    private boolean finInTransit;
    private boolean finArrived;
    private boolean broken;
    private boolean resetInTransit;
    private boolean resetArrived;
    private boolean outputEnded;
    private boolean closed;
    private boolean closedAbortively;
    private long received;

    /** Messages that have arrived, and where each of them is in the stream. */
    private final ArrayDeque<byte[]> messages = new ArrayDeque<>();

    private final ArrayDeque<Long> positions = new ArrayDeque<>();
    private Optional<StreamEvents> events = Optional.empty();
    private Optional<ExploredStream> peer = Optional.empty();

    static ExploredStream[] pair() {
        return pair(new ExploredStream(), new ExploredStream());
    }

    static ExploredStream[] pair(ExploredStream... both) {
        both[0].peer = Optional.of(both[1]);
        both[1].peer = Optional.of(both[0]);
        return both;
    }

    ExploredStream peer() {
        return peer.orElseThrow();
    }

    void events(Optional<StreamEvents> newEvents) {
        events = newEvents;
    }

    boolean closed() {
        return closed;
    }

    // Actions of the explorer.

    boolean frameInTransit() {
        return transit.length > 0 && !resetArrived;
    }

    /** Whether the first frame in transit can be cut: it has not been cut yet and is longer than one byte. */
    boolean canTear() {
        return frameInTransit() && !tornFrame && !closed && !messageNext() && frameLength() > 1;
    }

    boolean finWaits() {
        return finInTransit && !broken && transit.length == 0 && !finArrived && !resetArrived;
    }

    boolean resetWaits() {
        return resetInTransit && !resetArrived;
    }

    /** Delivers the next frame, or the rest of it, or the next message. */
    void deliverFrame() {
        if (messageNext()) {
            deliverMessage();
            return;
        }
        int length = tornFrame ? restOfTorn : frameLength();
        tornFrame = false;
        deliver(Math.min(length, transit.length));
    }

    /** Delivers half of the next frame. */
    void tear() {
        int length = Math.min(frameLength(), transit.length);
        restOfTorn = length - length / 2;
        tornFrame = true;
        deliver(length / 2);
    }

    private void deliver(int count) {
        deliver(count, count);
    }

    /** Takes bytes out of transit; the first {@code bytes} of them have arrived. */
    private void deliver(int count, int bytes) {
        if (closed) {
            // The endpoint is closed: the system answers with a reset.
            transit = Arrays.copyOfRange(transit, count, transit.length);
            peer().resetInTransit = true;
            return;
        }
        int before = arrived.length;
        arrived = Arrays.copyOf(arrived, before + bytes);
        System.arraycopy(transit, 0, arrived, before, bytes);
        transit = Arrays.copyOfRange(transit, count, transit.length);
        reportReadiness();
    }

    private boolean messageNext() {
        return !tornFrame && transit.length > 0 && transit[0] == MESSAGE;
    }

    private void deliverMessage() {
        int end = frameLength();
        byte[] message = Arrays.copyOfRange(transit, MESSAGE_HEADER, end);
        if (!closed) {
            messages.add(message);
            positions.add(received + arrived.length);
        }
        deliver(end, 0);
    }

    void deliverFin() {
        finArrived = true;
        reportReadiness();
    }

    void deliverReset() {
        resetArrived = true;
        transit = new byte[0];
        dropArrived();
        reportReadiness();
    }

    private void dropArrived() {
        arrived = new byte[0];
        messages.clear();
        positions.clear();
    }

    /** Breaks the network: bytes in transit are lost, and both ends will detect it. */
    void breakDown() {
        for (ExploredStream end : new ExploredStream[] {this, peer()}) {
            end.transit = new byte[0];
            // TCP delivers nothing after lost bytes, not even a FIN.
            end.finInTransit = false;
            end.broken = true;
            end.resetInTransit = true;
        }
    }

    private void reportReadiness() {
        if (!closed && !(nextMessage().isPresent() && takeMessages() && drained())) {
            events.ifPresent(StreamEvents::onReadable);
        }
    }

    private boolean drained() {
        return arrived.length == 0 && messages.isEmpty() && !finArrived && !resetArrived;
    }

    /** Has messages taken where the stream is polled; returns whether some were. */
    boolean takeMessages() {
        return false;
    }

    /** The message that no byte of the stream precedes. */
    Optional<byte[]> nextMessage() {
        return messages.isEmpty() || positions.getFirst() != received || closed
                ? Optional.empty()
                : Optional.of(messages.getFirst());
    }

    void messageTaken() {
        messages.removeFirst();
        positions.removeFirst();
    }

    /** Sends a message after the bytes that were written. */
    boolean writeMessage(byte[] message) {
        ByteBuffer unit = ByteBuffer.allocate(MESSAGE_HEADER + message.length);
        return writeWhole(
                unit.put(MESSAGE).put((byte) message.length).put(message).flip());
    }

    /** Sends a unit, unless the stream has ended or failed. */
    boolean writeWhole(ByteBuffer unit) {
        if (resetArrived || outputEnded || closed) {
            return false;
        }
        send(unit);
        return true;
    }

    private int frameLength() {
        if (transit.length >= START_FRAME && transit[0] == 'M' && transit[1] == 'P' && transit[2] == 'A') {
            return START_FRAME + ((transit[18] & 0xff) << 8 | transit[19] & 0xff);
        }
        if (messageNext()) {
            return MESSAGE_HEADER + transit[1];
        }
        return transit.length < 2
                ? transit.length
                : FpduHeader.fpduLength((transit[0] & 0xff) << 8 | transit[1] & 0xff);
    }

    long stateDigest(long digest) {
        long flags = (tornFrame ? 1 : 0)
                | (finInTransit ? 2 : 0)
                | (finArrived ? 4 : 0)
                | (resetInTransit ? 8 : 0)
                | (resetArrived ? 16 : 0)
                | (outputEnded ? 32 : 0)
                | (closed ? 64 : 0)
                | (broken ? 256 : 0)
                | (events.isPresent() ? 128 : 0);
        long d = Digest.mix(Digest.mix(digest, flags), received);
        for (byte[] message : messages) {
            d = Digest.mix(d, Arrays.hashCode(message));
        }
        for (long position : positions) {
            d = Digest.mix(d, position);
        }
        return Digest.mix(d, (long) Arrays.hashCode(transit) << 32 | Arrays.hashCode(arrived) & 0xffff_ffffL);
    }

    // The stream.

    @Override
    public int read(ByteBuffer target) throws IOException {
        if (resetArrived) {
            throw new IOException("Connection reset");
        }
        if (arrived.length == 0 && messages.isEmpty()) {
            return finArrived ? END : 0;
        }
        int most = positions.isEmpty() ? arrived.length : (int) (positions.getFirst() - received);
        int count = Math.min(target.remaining(), most);
        target.put(arrived, 0, count);
        arrived = Arrays.copyOfRange(arrived, count, arrived.length);
        received += count;
        return count;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        if (resetArrived) {
            throw new IOException("Broken pipe");
        }
        if (outputEnded || closed) {
            throw new IOException("write after the end of output");
        }
        return send(source);
    }

    private int send(ByteBuffer source) {
        int count = source.remaining();
        ExploredStream to = peer();
        if (!to.resetArrived && !to.resetInTransit) {
            int before = to.transit.length;
            to.transit = Arrays.copyOf(to.transit, before + count);
            source.get(to.transit, before, count);
        } else {
            source.position(source.limit());
        }
        return count;
    }

    @Override
    public void wantWritable(boolean requested) {}

    @Override
    public void wantReadable(boolean requested) {}

    @Override
    public void shutdownOutput() throws IOException {
        if (resetArrived) {
            throw new IOException("Transport endpoint is not connected");
        }
        outputEnded = true;
        peer().finInTransit = true;
    }

    @Override
    public void close(boolean abortive) {
        closed = true;
        closedAbortively |= abortive;
        if (abortive || arrived.length > 0 || !messages.isEmpty()) {
            peer().resetInTransit = true;
        } else {
            peer().finInTransit = true;
        }
        dropArrived();
    }

    boolean closedAbortively() {
        return closedAbortively;
    }

    @Override
    public SocketAddress localAddress() {
        return InetSocketAddress.createUnresolved("explored", 1);
    }

    @Override
    public SocketAddress remoteAddress() {
        return InetSocketAddress.createUnresolved("explored", 2);
    }
}
