package io.verbena.shm;

import io.verbena.base.GrantedMemory;
import io.verbena.port.ByteStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What a side of a connection has in shared memory after the set-up. One thread at a time. */
final class Rings {

    final SideWords words;
    final RingReader reader;
    final RingWriter writer;

    private final WakeSocket socket;
    private final SharedMemory.Mapped mapped;
    private final Borrower borrower;
    private final Lender lender;
    final DirectAccess direct;

    private long announced = SharedLayout.OPEN;

    /**
     * What this side had consumed when it last signalled that, and whether more than short messages was consumed since
     * then.
     */
    private long signalledConsumed;

    private boolean readSince;

    Rings(SetUp complete, boolean initiator, WakeSocket socket, SharedBlocks blocks) {
        this.socket = socket;
        mapped = complete.memory();
        words = new SideWords(mapped.bytes(), initiator);
        borrower = new Borrower(blocks, mapped.bytes(), initiator);
        direct = new DirectAccess(blocks, mapped.bytes(), initiator, complete.direct());
        reader = new RingReader(mapped.bytes(), initiator, complete.ringBytes(), borrower, direct);
        writer = new RingWriter(mapped.bytes(), initiator, complete.ringBytes());
        lender = new Lender(blocks.table(), mapped.bytes(), initiator);
    }

    /** Whether nothing follows what is in the ring. */
    boolean ended() {
        return socket.ended() || words.endingThere() != SharedLayout.OPEN;
    }

    /**
     * At the end: whether the process of the peer has ended. A side that closes its stream says so before its socket ends.
     *
     * @throws IOException if it is no end in order
     */
    boolean abandoned() throws IOException {
        long ending = words.endingThere();
        long killed = ending == SharedLayout.OPEN ? words.killedThere() : SharedLayout.OPEN;
        if (ending == SharedLayout.RESET || killed == SharedLayout.RESET) {
            throw new IOException("Connection reset");
        }
        // The system also resets a socket with unread wake-ups. A side that has stated how its end is to be read is
        // believed.
        if (ending == SharedLayout.OPEN
                && killed == SharedLayout.OPEN
                && socket.failure().isPresent()) {
            throw socket.failure().get();
        }
        return ending == SharedLayout.OPEN;
    }

    /** Ends the direction of this side, in order or by a reset. A reset is final: it withdraws loans. */
    void end(long ending) {
        if (ending > announced) {
            announced = ending;
            words.end(ending);
        }
    }

    /** How the end of this side is to be read if its process ends without saying so. */
    void killed(boolean reset) {
        words.killed(reset ? SharedLayout.RESET : SharedLayout.ENDED);
    }

    /** Whether bytes or the end can be read. */
    boolean readable() {
        return reader.hasBytes() || ended();
    }

    /** Whether writing makes sense after a time in which the ring was full. */
    boolean writable() throws IOException {
        return socket.ended() || writer.hasSpace();
    }

    // Bytes.

    /** Copies bytes out of the ring, and wakes a peer that waits for space. {@link ByteStream#END} if nothing follows. */
    int read(ByteBuffer target, int at, int count) throws IOException {
        // Before the ring: what a peer writes before it ends is visible then.
        boolean last = ended();
        int done = reader.read(target, at, count);
        answer();
        readSince = true;
        if (signalsConsumed(done < count)) {
            signal(SharedLayout.FOR_ROOM | SharedLayout.FOR_RETURNS);
        }
        return done == 0 && last && !reader.stopped() ? ByteStream.END : done;
    }

    /**
     * Short messages were taken out of the ring: wakes a peer that waits for space. A peer waits while more than three
     * quarters of the window are in use. If the ring is empty, no more is in use, as the peer sees it, than was
     * consumed since the last signal; so there is none for each message, whose fence the message would wait for. If it
     * is not empty, another run follows.
     */
    void endRun() {
        boolean few = !readSince && reader.consumed() - signalledConsumed < reader.window() / 4;
        if (!few && signalsConsumed(!reader.hasBytes())) {
            signal(SharedLayout.FOR_ROOM | SharedLayout.FOR_RETURNS);
        }
    }

    /** Lends the bytes at an address, if it is not 0 and that is possible, or copies bytes of the source into the ring. */
    int append(ByteBuffer source, long address, int count) throws IOException {
        return address != 0 && lend(address, count) ? count : writer.append(source, source.position(), count);
    }

    /** Makes everything that was appended visible to the peer, and wakes it if it waits for bytes. */
    void publish() {
        writer.publish();
        signal(SharedLayout.FOR_BYTES);
        writer.clearAhead();
    }

    // Direct access.

    /** Answers a request of the peer for a grant, if there is one. */
    void answer() throws IOException {
        if (direct.answer(writer)) {
            signal(SharedLayout.FOR_BYTES);
        }
    }

    /** Memory of the peer that a key opens; null if it is not accessible. */
    @Nullable
    GrantedMemory obtain(int key) throws IOException {
        if (socket.ended()) {
            return null;
        }
        long before = writer.position();
        GrantedMemory found = direct.obtain(key, writer);
        if (writer.position() != before) {
            signal(SharedLayout.FOR_BYTES);
        }
        return found;
    }

    /** Whether the peer, which is alive as far as this side knows, has processed everything that was published. */
    boolean settled() {
        return !socket.ended() && direct.settled(writer.position());
    }

    /** Everything that was read so far has been processed. */
    void reportProcessed() {
        if (direct.reportProcessed(reader.consumed())) {
            signal(SharedLayout.FOR_RETURNS);
        }
    }

    /** Whether the peer accesses nothing directly since its grants were revoked. */
    boolean revoked() {
        return socket.ended() || direct.revoked();
    }

    /** Wakes the peer if it sleeps and waits for this, which has been published. */
    void signal(long what) {
        if (words.takeSleeper(what)) {
            socket.send();
        }
    }

    /**
     * Whether to wake a peer that waits for space or returned loans, after a read. One wake-up for much space: a reader reads on
     * until the ring is empty.
     */
    private boolean signalsConsumed(boolean empty) {
        long space = reader.consumed() - signalledConsumed;
        if (space >= reader.window() / 2 || space > 0 && empty) {
            signalledConsumed = reader.consumed();
            readSince = false;
            return true;
        }
        return false;
    }

    // Loans.

    /** Lends payload to the peer. Returns false if it must be copied, or if there is no space, which a copy finds. */
    private boolean lend(long address, int count) throws IOException {
        int slot = lender.slotOf(address, count, writer);
        if (slot == Lender.NONE || !writer.lend(slot, lender.offset(slot, address), count)) {
            return false;
        }
        lender.lent(writer.position());
        return true;
    }

    /** Whether loans are not known to be returned. */
    boolean lends() {
        return lender.out();
    }

    /** Whether {@link #takeReturns} may have news later. */
    boolean awaitsReturns() {
        return lender.out() || direct.awaitsSettling();
    }

    /** Position after the last loan. */
    long lent() {
        return lender.lent();
    }

    /** Position up to which everything is known to be returned. */
    long returned() {
        return lender.returned();
    }

    /** Looks at what the peer has consumed and processed. Returns whether that is news to a side that waits for it. */
    boolean takeReturns() throws IOException {
        boolean news = lender.out() && lender.returned(writer.consumed());
        if (direct.settles(writer.position())) {
            direct.taken();
            news = true;
        }
        return news;
    }

    /** Whether {@link #takeReturns} would have news. */
    boolean returnsWait() throws IOException {
        return lender.out() && writer.consumed() != lender.returned() || direct.settles(writer.position());
    }

    /** Gives all memory up. */
    void close() {
        direct.close(socket.ended());
        borrower.close();
        mapped.close();
    }
}
