package io.verbena.shm;

import io.verbena.base.TransmitList;
import io.verbena.port.ByteStream;
import io.verbena.port.LendingStream;
import io.verbena.port.LoopWrapper;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamException;
import io.verbena.port.StreamException.Reason;
import io.verbena.port.StreamWrapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A connection through shared memory. Its socket carries the set-up, one byte for each wake-up of a sleeping side, and, with
 * its end, the death of the peer.
 */
final class RingStream extends StreamWrapper implements LendingStream {

    private SharedMemoryLoop home;
    private final boolean initiator;
    private final WakeSocket socket;

    private @Nullable SetUp setUp;
    private @Nullable Rings rings;
    private boolean mayLend;

    private @Nullable StreamEvents events;

    private boolean wantsReadable = true;
    private boolean wantsWritable;
    private boolean endTold;
    private boolean ended;
    private boolean closed;

    private @Nullable IOException broken;
    private boolean brokenTold;

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
            broken = e;
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
        SetUp now = setUp;
        if (now == null || broken != null) {
            return;
        }
        try {
            if (now.advance()) {
                begin(now);
            } else {
                super.wantWritable(now.sending());
            }
        } catch (IOException | InternalError e) {
            broken = SideWords.failure(e);
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
    protected StreamEvents attached(LoopWrapper loop, StreamEvents whom) {
        home = (SharedMemoryLoop) loop;
        events = whom;
        wantsReadable = true;
        wantsWritable = false;
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
        if (broken != null) {
            super.wantReadable(false);
        } else if (setUp == null) {
            socket.receive();
            home.wake(this);
        }
        poll();
    }

    /** The shared memory is not accessible any more. */
    void onTruncated(InternalError e) {
        broken = broken == null ? SideWords.lost(e) : broken;
    }

    /** Ends the stream if its memory is not accessible. Returns whether that is so. */
    boolean endIfLost() {
        Rings mine = rings;
        try {
            if (mine != null) {
                mine.words.probe();
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
        StreamEvents whom = events;
        if (whom == null) {
            return 0;
        }
        int told = 0;
        if (broken == null && news(Rings::takeReturns)) {
            told++;
            whom.onReturned();
        }
        if (wantsWritable && events == whom && news(Rings::writable)) {
            told++;
            brokenTold = broken != null;
            whom.onWritable();
        }
        if (wantsReadable && !endTold && events == whom && news(Rings::readable)) {
            told++;
            brokenTold = broken != null;
            whom.onReadable();
        }
        return told;
    }

    /** A look at the rings. */
    @FunctionalInterface
    private interface Look {
        boolean at(Rings mine) throws IOException;
    }

    /** Whether a look shows something. A failure is news, too, which the owner finds in its next call. */
    private boolean news(Look look) {
        Rings mine = rings;
        if (broken != null) {
            return !brokenTold;
        }
        try {
            return mine != null && look.at(mine);
        } catch (IOException | InternalError e) {
            broken = SideWords.failure(e);
        }
        return true;
    }

    @Override
    public void wantWritable(boolean wanted) {
        wantsWritable = wanted;
        if (wanted) {
            home.wake(this);
        }
    }

    @Override
    public void wantReadable(boolean wanted) {
        wantsReadable = wanted;
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
                | (wantsWritable ? SharedLayout.FOR_ROOM : 0)
                | (lends() ? SharedLayout.FOR_RETURNS : 0));
    }

    /** Whether something happened before the peer saw that this side sleeps. */
    boolean newsBeforeSleep() {
        return wantsReadable && !endTold && news(Rings::readable)
                || wantsWritable && news(Rings::writable)
                || broken == null && news(Rings::returnsWait);
    }

    /** This side polls from now on. */
    void awake() {
        setAsleep(0);
    }

    private void setAsleep(long value) {
        Rings mine = rings;
        if (mine != null && broken == null) {
            try {
                mine.words.asleep(value);
            } catch (InternalError e) {
                broken = SideWords.lost(e);
            }
        }
    }

    /** Wakes the peer if it sleeps and waits for this, which has been published. */
    private void signal(Rings mine, long what) {
        if (mine.words.takeSleeper(what)) {
            socket.send();
        }
    }

    // Bytes.

    private void check() throws IOException {
        if (broken != null) {
            throw broken;
        }
    }

    private IOException failed(IOException e) {
        broken = e;
        return e;
    }

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
        check();
        Rings mine = rings;
        if (mine == null || count == 0) {
            return 0;
        }
        try {
            // Before the ring: what a peer writes before it ends is visible then.
            boolean last = mine.ended();
            int done = mine.reader.read(target, at, count);
            if (mine.signalsConsumed(done < count)) {
                signal(mine, SharedLayout.FOR_ROOM | SharedLayout.FOR_RETURNS);
            }
            if (done > 0) {
                quietPolls = 0;
                return done;
            }
            return last && !mine.reader.stopped() ? end(mine) : 0;
        } catch (IOException | InternalError e) {
            throw failed(SideWords.failure(e));
        }
    }

    private int end(Rings mine) throws IOException {
        long ending = mine.words.endingThere();
        if (ending == SharedLayout.RESET) {
            throw new IOException("Connection reset");
        }
        if (ending == SharedLayout.OPEN && socket.failure().isPresent()) {
            throw socket.failure().get();
        }
        endTold = true;
        return END;
    }

    @Override
    public boolean shortReadIsAll() {
        Rings mine = rings;
        return mine == null || !mine.reader.stopped();
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
        Rings mine = beginWrite();
        if (mine == null) {
            return 0;
        }
        int count = append(mine, source, 0, source.remaining(), 0);
        source.position(source.position() + count);
        endWrite(mine);
        return count;
    }

    @Override
    public int write(TransmitList list) throws IOException {
        Rings mine = beginWrite();
        if (mine == null) {
            return 0;
        }
        int written = 0;
        for (int i = 0; i < list.pieces(); i++) {
            ByteBuffer piece = list.piece(i);
            int length = list.pieceLength(i);
            long lendable = mayLend && list.pieceLendable(i) ? list.pieceAddress(i) : 0;
            int count = append(mine, piece, lendable, length, written);
            written += count;
            if (count < length) {
                break;
            }
        }
        endWrite(mine);
        return written;
    }

    private @Nullable Rings beginWrite() throws IOException {
        check();
        if (ended) {
            throw new IOException("Broken pipe");
        }
        if (socket.ended()) {
            throw failed(new IOException("Connection reset"));
        }
        return rings;
    }

    /** Lends bytes that have an address, or copies them. A loss shows in a call that writes nothing, as with TCP. */
    private int append(Rings mine, ByteBuffer source, long address, int count, int written) throws IOException {
        try {
            return address != 0 && mine.lend(address, count)
                    ? count
                    : mine.writer.append(source, source.position(), count);
        } catch (IOException e) {
            throw failed(e);
        } catch (InternalError e) {
            if (written > 0) {
                return 0;
            }
            throw lost(e);
        }
    }

    private void endWrite(Rings mine) throws IOException {
        try {
            mine.writer.publish();
            quietPolls = 0;
            home.wake(this);
            signal(mine, SharedLayout.FOR_BYTES);
        } catch (InternalError e) {
            throw failed(SideWords.lost(e));
        }
    }

    /** A copy failed: either the shared memory or the memory of the user no longer exists. */
    private IOException lost(InternalError e) {
        if (endIfLost()) {
            return failed(SideWords.lost(e));
        }
        return new StreamException(Reason.MEMORY_GONE, String.valueOf(e.getMessage()));
    }

    // Loans.

    @Override
    public void lend() {
        mayLend = true;
    }

    @Override
    public long lent() {
        Rings mine = rings;
        return mine == null ? 0 : mine.lent();
    }

    @Override
    public long returned() {
        Rings mine = rings;
        return mine == null ? 0 : mine.returned();
    }

    private boolean lends() {
        Rings mine = rings;
        return mine != null && mine.lends();
    }

    @Override
    public void withdraw() {
        try {
            tellEnding(SharedLayout.RESET);
        } catch (IOException e) {
            // The memory is not there any more, and neither are the loans.
        }
    }

    // Ends.

    @Override
    public void keepAlive(long boundNs) {
        // The end of the socket shows the death of the peer, and the keep-alive of the protocol a peer that hangs.
    }

    @Override
    public void shutdownOutput() throws IOException {
        check();
        ended = true;
        tellEnding(SharedLayout.ENDED);
    }

    private void tellEnding(long how) throws IOException {
        Rings mine = rings;
        if (mine == null) {
            return;
        }
        try {
            mine.end(how);
            signal(mine, SharedLayout.FOR_BYTES);
        } catch (InternalError e) {
            throw failed(SideWords.lost(e));
        }
    }

    @Override
    public void close(boolean abortive) {
        if (closed) {
            return;
        }
        closed = true;
        home.forget(this);
        if (abortive && (broken == null || lends())) {
            withdraw(); // otherwise the peer sees the end of the socket
        }
        broken = new IOException("Socket closed");
        if (setUp != null) {
            setUp.abandon();
        }
        Rings mine = rings;
        rings = null;
        if (mine != null) {
            mine.close();
        }
        super.close(abortive);
    }
}
