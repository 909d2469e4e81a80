package io.verbena.shm;

import io.verbena.base.TransmitList;
import io.verbena.port.ByteStream;
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
final class RingStream extends StreamWrapper {

    private SharedMemoryLoop home;
    private final boolean initiator;
    private final WakeSocket socket;

    private @Nullable SetUp setUp;
    private SharedMemory.@Nullable Mapped mapped;
    private @Nullable SideWords words;
    private @Nullable RingReader reader;
    private @Nullable RingWriter writer;
    private @Nullable StreamEvents events;

    private boolean wantsReadable = true;
    private boolean wantsWritable;
    private boolean endTold;
    private boolean ended;
    private boolean closed;

    private @Nullable IOException broken;
    private boolean brokenTold;

    /** What this side had consumed when it last signalled that. */
    private long signalledConsumed;

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
        } catch (IOException e) {
            broken = e;
        } catch (InternalError e) {
            broken = SideWords.lost(e);
        }
    }

    private void begin(SetUp complete) throws IOException {
        mapped = complete.memory();
        words = new SideWords(complete.memory().bytes(), initiator);
        reader = new RingReader(complete.memory().bytes(), initiator, complete.ringBytes());
        writer = new RingWriter(complete.memory().bytes(), initiator, complete.ringBytes());
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
        SideWords mine = words;
        try {
            if (mine != null) {
                mine.probe();
            }
            return false;
        } catch (InternalError e) {
            onTruncated(e);
            return true;
        }
    }

    /** Reports what is new to the owner. Returns the number of events. */
    int poll() {
        StreamEvents whom = events;
        if (whom == null) {
            return 0;
        }
        int told = 0;
        if (wantsWritable && writableNow()) {
            told++;
            brokenTold = broken != null;
            whom.onWritable();
        }
        if (wantsReadable && !endTold && events == whom && readableNow()) {
            told++;
            brokenTold = broken != null;
            whom.onReadable();
        }
        return told;
    }

    private boolean readableNow() {
        RingReader in = reader;
        if (broken != null) {
            return !brokenTold;
        }
        if (in == null || closed) {
            return false;
        }
        try {
            return in.hasBytes() || peerEnded();
        } catch (InternalError e) {
            broken = SideWords.lost(e);
            return true;
        }
    }

    private boolean writableNow() {
        RingWriter out = writer;
        if (broken != null) {
            return !brokenTold;
        }
        if (out == null || closed) {
            return false;
        }
        try {
            return socket.ended() || out.hasSpace();
        } catch (IOException e) {
            broken = e;
        } catch (InternalError e) {
            onTruncated(e);
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
        setAsleep(SharedLayout.FOR_BYTES | (wantsWritable ? SharedLayout.FOR_ROOM : 0));
    }

    /** Whether something happened before the peer saw that this side sleeps. */
    boolean newsBeforeSleep() {
        return wantsReadable && !endTold && readableNow() || wantsWritable && writableNow();
    }

    /** This side polls from now on. */
    void awake() {
        setAsleep(0);
    }

    private void setAsleep(long value) {
        SideWords mine = words;
        if (mine != null && broken == null) {
            try {
                mine.asleep(value);
            } catch (InternalError e) {
                broken = SideWords.lost(e);
            }
        }
    }

    /** Wakes the peer if it sleeps and waits for this, which has been published. */
    private void signal(SideWords mine, long what) {
        if (mine.takeSleeper(what)) {
            socket.send();
        }
    }

    // Bytes.

    private void check() throws IOException {
        IOException failure = broken;
        if (failure != null) {
            throw failure;
        }
    }

    private IOException failed(IOException e) {
        broken = e;
        return e;
    }

    /** Whether nothing follows what is in the ring. */
    private boolean peerEnded() {
        SideWords mine = words;
        return socket.ended() || mine != null && mine.endingThere() != SharedLayout.OPEN;
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
        RingReader in = reader;
        SideWords mine = words;
        if (in == null || mine == null || count == 0) {
            return 0;
        }
        try {
            // Before the ring: what a peer writes before it ends is visible then.
            boolean last = peerEnded();
            int done = in.read(target, at, count);
            // One wake-up for much space: a reader reads on until the ring is empty.
            long space = in.consumed() - signalledConsumed;
            if (space >= in.window() / 2 || space > 0 && done < count) {
                signalledConsumed = in.consumed();
                signal(mine, SharedLayout.FOR_ROOM);
            }
            if (done > 0) {
                quietPolls = 0;
                return done;
            }
            return last ? end(mine) : 0;
        } catch (IOException e) {
            throw failed(e);
        } catch (InternalError e) {
            throw failed(SideWords.lost(e));
        }
    }

    private int end(SideWords mine) throws IOException {
        long ending = mine.endingThere();
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
        return true;
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
        SideWords mine = beginWrite();
        RingWriter out = writer;
        if (mine == null || out == null) {
            return 0;
        }
        int count = append(out, source, source.position(), source.remaining(), 0);
        source.position(source.position() + count);
        endWrite(mine, out);
        return count;
    }

    @Override
    public int write(TransmitList list) throws IOException {
        SideWords mine = beginWrite();
        RingWriter out = writer;
        if (mine == null || out == null) {
            return 0;
        }
        int written = 0;
        int pieces = list.pieces();
        for (int i = 0; i < pieces; i++) {
            ByteBuffer piece = list.piece(i);
            int length = list.pieceLength(i);
            int count = append(out, piece, piece.position(), length, written);
            written += count;
            if (count < length) {
                break;
            }
        }
        endWrite(mine, out);
        return written;
    }

    private @Nullable SideWords beginWrite() throws IOException {
        check();
        if (ended) {
            throw new IOException("Broken pipe");
        }
        if (socket.ended()) {
            throw failed(new IOException("Connection reset"));
        }
        return words;
    }

    /** Copies to the ring after {@code written} bytes of the same call. As with TCP, a loss shows in a call that writes nothing. */
    private int append(RingWriter out, ByteBuffer source, int from, int count, int written) throws IOException {
        try {
            return out.append(source, from, count);
        } catch (IOException e) {
            throw failed(e);
        } catch (InternalError e) {
            if (written > 0) {
                return 0;
            }
            throw lost(e);
        }
    }

    private void endWrite(SideWords mine, RingWriter out) throws IOException {
        try {
            out.publish();
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
        SideWords mine = words;
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
        try {
            if (abortive && broken == null) {
                tellEnding(SharedLayout.RESET);
            }
        } catch (IOException e) {
            // The peer sees the end of the socket.
        }
        broken = new IOException("Socket closed");
        SetUp begun = setUp;
        if (begun != null) {
            begun.abandon();
        }
        SharedMemory.Mapped mine = mapped;
        words = null;
        reader = null;
        writer = null;
        if (mine != null) {
            mine.close();
        }
        super.close(abortive);
    }
}
