package io.verbena.shm;

import io.verbena.base.TransmitList;
import io.verbena.port.ByteStream;
import io.verbena.port.FrameStream;
import io.verbena.port.LendingStream;
import io.verbena.port.LoopWrapper;
import io.verbena.port.PeerMemory;
import io.verbena.port.ShortMessages;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamException;
import io.verbena.port.StreamException.Reason;
import io.verbena.port.StreamWrapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A connection through shared memory. Its socket carries the set-up, one byte for each wake-up of a sleeping side, and, with
 * its end, the death of the peer.
 *
 * <p>Over 500 lines: most methods are those of a stream, and each of them also handles memory that is not accessible any more.
 */
final class RingStream extends StreamWrapper implements LendingStream, FrameStream {

    private SharedMemoryLoop home;
    private final boolean initiator;
    private final WakeSocket socket;

    private @Nullable SetUp setUp;
    private @Nullable Rings rings;
    private boolean mayLend;

    private @Nullable StreamEvents events;

    private final Readiness readiness = new Readiness();
    private final PeerMemory direct = new RingPeerMemory(this, readiness);
    private final RingMessages messages = new RingMessages(this, readiness);
    private boolean ended;
    private boolean abandoned;
    private boolean closed;

    /** Whether the loop polls it, and the polls without news. For {@link SharedMemoryLoop}. */
    boolean awake;

    int quietPolls;

    RingStream(SharedMemoryLoop home, ByteStream socket, boolean initiator) {
        super(socket);
        this.socket = new WakeSocket(socket);
        this.home = home;
        this.initiator = initiator;
        try {
            setUp = initiator ? home.offer(socket) : home.accept(socket);
        } catch (IOException e) {
            readiness.fail(e);
        }
    }

    /** After the exchange, which is complete. */
    RingStream(SharedMemoryLoop home, ByteStream socket, SetUp complete) {
        super(socket);
        this.socket = new WakeSocket(socket);
        this.home = home;
        initiator = complete.initiator();
        setUp = complete;
    }

    // Set-up.

    /** Continues what the socket held up. */
    void resume() {
        advance();
        if (!closed) {
            socket.resume();
        }
    }

    private void advance() {
        SetUp currentSetUp = setUp;
        if (currentSetUp == null || readiness.broken()) {
            return;
        }
        try {
            if (currentSetUp.advance()) {
                begin(currentSetUp);
            } else {
                super.wantWritable(currentSetUp.sending());
            }
        } catch (IOException | InternalError e) {
            readiness.fail(SideWords.failure(e));
        }
    }

    private void begin(SetUp complete) throws IOException {
        rings = new Rings(complete, initiator, socket, home.blocks());
        setUp = null;
        super.wantWritable(false);
        home.wake(this);
        if (ended) {
            tellEnding(SharedLayout.ENDED);
        }
    }

    // Events.

    @Override
    protected StreamEvents attached(LoopWrapper loop, StreamEvents listener) {
        home = (SharedMemoryLoop) loop;
        events = listener;
        readiness.attached();
        return new StreamEvents() {
            @Override
            public void onReadable() {
                onSocketReadable();
            }

            @Override
            public void onWritable() {
                resume();
                poll();
            }
        };
    }

    @Override
    protected void detached() {
        events = null;
        home.forget(this);
    }

    /** A byte of the socket wakes this side; its end is that of the peer. */
    private void onSocketReadable() {
        if (setUp != null) {
            advance();
        }
        if (readiness.broken()) {
            super.wantReadable(false);
        } else if (setUp == null) {
            socket.receive();
            home.wake(this);
        }
        poll();
    }

    /** The shared memory is not accessible any more. */
    void onTruncated(InternalError e) {
        readiness.truncated(e);
    }

    /** Ends the stream if its memory is not accessible. Returns whether that is so. */
    boolean endIfLost() {
        Rings currentRings = rings;
        try {
            if (currentRings != null) {
                currentRings.words.probe();
            }
            return false;
        } catch (InternalError e) {
            onTruncated(e);
            return true;
        }
    }

    /** Reports what is new to the owner. Returns the number of events. */
    @SuppressWarnings("ReferenceEquality") // whether an event has detached the owner
    int poll() {
        StreamEvents listener = events;
        if (listener == null) {
            return 0;
        }
        int reported = 0;
        if (readiness.takeReturns(rings)) {
            reported++;
            listener.onReturned();
        }
        if (events == listener && readiness.writable(rings)) {
            reported++;
            readiness.reporting();
            listener.onWritable();
        }
        if (events == listener && readiness.readable(rings)) {
            int taken = messages.arrived();
            reported += taken;
            if (taken == 0 || events == listener && readiness.readable(rings)) {
                reported++;
                readiness.reporting();
                listener.onReadable();
            }
        }
        return reported;
    }

    @Override
    public void wantWritable(boolean wanted) {
        readiness.wantWritable(wanted);
        if (wanted) {
            home.wake(this);
        }
    }

    @Override
    public void wantReadable(boolean wanted) {
        readiness.wantReadable(wanted);
        if (wanted) {
            home.wake(this);
        }
    }

    // Sleeping.

    /** Whether an owner receives the events. */
    boolean attached() {
        return events != null;
    }

    /** The peer wakes this side from now on. A full fence and {@link #newsBeforeSleep} follow. */
    void fallAsleep() {
        setAsleep(SharedLayout.FOR_BYTES
                | (readiness.wantsWritable() ? SharedLayout.FOR_ROOM : 0)
                | (awaitsReturns() ? SharedLayout.FOR_RETURNS : 0));
    }

    /** Whether something happened before the peer saw that this side sleeps. */
    boolean newsBeforeSleep() {
        return readiness.readable(rings) || readiness.writable(rings) || readiness.returnsWait(rings);
    }

    /** This side polls from now on. */
    void awake() {
        setAsleep(0);
    }

    private void setAsleep(long value) {
        Rings currentRings = rings;
        if (currentRings != null && !readiness.broken()) {
            try {
                currentRings.words.asleep(value);
            } catch (InternalError e) {
                readiness.fail(SideWords.lost(e));
            }
        }
    }

    // Bytes.

    @Override
    public int read(ByteBuffer target) throws IOException {
        int at = target.position();
        int count = read(target, at, target.remaining());
        if (count > 0) {
            target.position(at + count);
        }
        return count;
    }

    @Override
    public int read(ByteBuffer first, long firstAddress, ByteBuffer second, long secondAddress) throws IOException {
        int expected = first.remaining();
        int count = read(first, first.position(), expected);
        if (count < expected || second.remaining() == 0) {
            return count;
        }
        return count + Math.max(0, read(second, second.position(), second.remaining()));
    }

    private int read(ByteBuffer target, int at, int count) throws IOException {
        readiness.check();
        Rings currentRings = rings;
        if (currentRings == null || count == 0) {
            return 0;
        }
        try {
            int done = currentRings.read(target, at, count);
            if (done > 0) {
                quietPolls = 0;
            }
            return done == END ? end(currentRings) : done;
        } catch (IOException | InternalError e) {
            throw readiness.fail(SideWords.failure(e));
        }
    }

    private int end(Rings currentRings) throws IOException {
        abandoned = currentRings.abandoned();
        readiness.endReported();
        return END;
    }

    @Override
    public boolean abandoned() {
        return abandoned;
    }

    @Override
    public boolean shortReadIsAll() {
        Rings currentRings = rings;
        return currentRings == null || !currentRings.reader.stopped();
    }

    @Override
    public boolean throughMemory() {
        return true;
    }

    @Override
    public boolean gathers() {
        return true;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        Rings currentRings = beginWrite();
        if (currentRings == null) {
            return 0;
        }
        int count = append(currentRings, source, 0, source.remaining(), 0);
        source.position(source.position() + count);
        endWrite(currentRings);
        return count;
    }

    @Override
    public int write(TransmitList list) throws IOException {
        Rings currentRings = beginWrite();
        if (currentRings == null) {
            return 0;
        }
        int written = 0;
        for (int i = 0; i < list.pieces(); i++) {
            ByteBuffer piece = list.piece(i);
            int length = list.pieceLength(i);
            long lendable = mayLend && list.pieceLendable(i) ? list.pieceAddress(i) : 0;
            int count = append(currentRings, piece, lendable, length, written);
            written += count;
            if (count < length) {
                break;
            }
        }
        endWrite(currentRings);
        return written;
    }

    private @Nullable Rings beginWrite() throws IOException {
        readiness.check();
        if (ended) {
            throw new IOException("Broken pipe");
        }
        if (socket.ended()) {
            throw new StreamException(Reason.PEER_ENDED, "Broken pipe"); // the ring may have bytes to read
        }
        return rings;
    }

    /** Lends bytes that have an address, or copies them. A loss shows in a call that writes nothing, as with TCP. */
    private int append(Rings currentRings, ByteBuffer source, long address, int count, int written) throws IOException {
        try {
            return currentRings.append(source, address, count);
        } catch (IOException e) {
            throw readiness.fail(e);
        } catch (InternalError e) {
            if (written > 0) {
                return 0;
            }
            throw lost(e);
        }
    }

    private void endWrite(Rings currentRings) throws IOException {
        try {
            quietPolls = 0;
            home.wake(this);
            currentRings.publish();
        } catch (InternalError e) {
            throw readiness.fail(SideWords.lost(e));
        }
    }

    /** A copy failed: either the shared memory or the memory of the user no longer exists. */
    private IOException lost(InternalError e) {
        if (endIfLost()) {
            return readiness.fail(SideWords.lost(e));
        }
        return new StreamException(Reason.MEMORY_GONE, String.valueOf(e.getMessage()));
    }

    @Override
    public boolean writeFrame(ByteBuffer frame, int bytes) {
        return writeWhole(frame, bytes, 0);
    }

    /** Writes a record of its own, with a flag of {@link SharedLayout}. */
    boolean writeWhole(ByteBuffer source, int bytes, int flag) {
        Rings currentRings = rings;
        if (currentRings == null || readiness.broken() || ended || socket.ended()) {
            return false;
        }
        try {
            if (!currentRings.writer.appendWhole(source, bytes, flag)) {
                return false;
            }
            endWrite(currentRings);
            return true;
        } catch (IOException | InternalError e) {
            readiness.fail(SideWords.failure(e));
            return false;
        }
    }

    // Loans.

    @Override
    public void lend() {
        mayLend = true;
    }

    @Override
    public long lent() {
        Rings currentRings = rings;
        return currentRings == null ? 0 : currentRings.lent();
    }

    @Override
    public long returned() {
        Rings currentRings = rings;
        return currentRings == null ? 0 : currentRings.returned();
    }

    private boolean lends() {
        Rings currentRings = rings;
        return currentRings != null && currentRings.lends();
    }

    private boolean awaitsReturns() {
        Rings currentRings = rings;
        return currentRings != null && currentRings.awaitsReturns();
    }

    @Override
    public void withdraw() {
        announceEnd(SharedLayout.RESET);
    }

    private void announceEnd(long ending) {
        try {
            tellEnding(ending);
        } catch (IOException e) {
            // The memory is not there any more, and neither are the loans.
        }
    }

    // Direct access.

    @Override
    public Optional<PeerMemory> peerMemory() {
        return Optional.of(direct);
    }

    @Override
    public Optional<ShortMessages> messages() {
        return Optional.of(messages);
    }

    /** What it has in shared memory; null before the set-up is complete, and after the end. */
    @Nullable
    Rings rings() {
        return rings;
    }

    /** The loop polls it from now on. */
    void watch() {
        home.wake(this);
    }

    // Ends.

    @Override
    public void keepAlive(long boundNs) {
        // The end of the socket shows the death of the peer, and the keep-alive of the protocol a peer that hangs.
    }

    @Override
    public void resetIfKilled(boolean reset) {
        Rings currentRings = rings;
        if (currentRings != null && !readiness.broken()) {
            try {
                currentRings.killed(reset);
            } catch (InternalError e) {
                readiness.fail(SideWords.lost(e));
            }
        }
    }

    @Override
    public void shutdownOutput() throws IOException {
        readiness.check();
        ended = true;
        tellEnding(SharedLayout.ENDED);
    }

    private void tellEnding(long ending) throws IOException {
        Rings currentRings = rings;
        if (currentRings == null) {
            return;
        }
        try {
            currentRings.end(ending);
            currentRings.signal(SharedLayout.FOR_BYTES);
        } catch (InternalError e) {
            throw readiness.fail(SideWords.lost(e));
        }
    }

    @Override
    public void close(boolean abortive) {
        if (closed) {
            return;
        }
        closed = true;
        home.forget(this);
        // An error of lost memory may be thrown later: each step is executed, so that the peer sees the end of the
        // socket.
        try {
            if (!readiness.broken() || abortive && lends()) {
                announceEnd(abortive ? SharedLayout.RESET : SharedLayout.ENDED); // otherwise its socket shows it
            }
        } finally {
            readiness.fail(new IOException("Socket closed"));
            try {
                giveUp();
            } finally {
                super.close(abortive);
            }
        }
    }

    private void giveUp() {
        if (setUp != null) {
            setUp.abandon();
        }
        Rings currentRings = rings;
        rings = null;
        if (currentRings != null) {
            currentRings.close();
        }
    }
}
