package io.verbena.sockets.ring;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * One side of a stream of two rings, without I/O. One thread at a time uses the input, and one the output; both, and any other thread, may
 * learn of an end.
 *
 * <p>Methods that may give the peer something to do say so by {@link #takeReader} and {@link #takeWriter}: the caller asks after it has changed
 * the memory, and wakes the peer in the ways that are returned.
 */
public final class RingEnd {

    /** What {@link #read} returns at the end of the stream. */
    public static final int END = -1;

    /** What {@link #read} returns if the stream was lost. */
    public static final int RESET = -2;

    private static final int PROBE_BYTES = 64;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final ByteBuffer memory;
    private final int ringBytes;
    private final RingInput input;
    private final RingOutput output;
    private final RingSleep forBytes;
    private final RingSleep forSpace;
    private final RingSleep peerForBytes;
    private final RingSleep peerForSpace;
    private final int endingAt;
    private final int peerEndingAt;
    private final int deafAt;

    /** How the peer had ended when this side looked last. */
    private volatile long peerEnding = RingLayout.OPEN;

    /** Of the thread that reads. */
    private int whyNone;

    // Written with the monitor.
    private volatile RingState state = RingState.OPEN;
    private volatile String reason = "";
    private volatile boolean inputShut;

    /** One side of this memory, which is new. */
    public RingEnd(ByteBuffer memory, boolean client, int ringBytes) {
        this.memory = memory;
        this.ringBytes = ringBytes;
        input = new RingInput(memory, client, ringBytes);
        output = new RingOutput(memory, client, ringBytes);
        forBytes = new RingSleep(memory, RingLayout.word(client, RingLayout.FOR_BYTES));
        forSpace = new RingSleep(memory, RingLayout.word(client, RingLayout.FOR_SPACE));
        peerForBytes = new RingSleep(memory, RingLayout.word(!client, RingLayout.FOR_BYTES));
        peerForSpace = new RingSleep(memory, RingLayout.word(!client, RingLayout.FOR_SPACE));
        endingAt = RingLayout.word(client, RingLayout.ENDING);
        peerEndingAt = RingLayout.word(!client, RingLayout.ENDING);
        deafAt = RingLayout.word(client, RingLayout.DEAF);
    }

    // Data.

    /**
     * Reads what has arrived.
     *
     * @return the number of bytes; 0 if there are none; {@link #END} at the end of the stream, {@link #RESET} if it was lost
     */
    public int read(ByteBuffer target) {
        look();
        RingState before = state; // what it tells has happened after the last byte
        if (inputShut || closed()) {
            return END;
        }
        try {
            int bytes = input.read(target);
            if (bytes > 0 || !target.hasRemaining()) {
                return bytes;
            }
            return nothing(before);
        } catch (RingViolation e) {
            onViolation(e);
            return RESET;
        }
    }

    private static int nothing(RingState before) {
        return before == RingState.LOST ? RESET : before.inputEnds() ? END : 0;
    }

    /** Bytes that can be read. */
    public int available() {
        if (closed() || inputShut) {
            return 0;
        }
        try {
            return input.available();
        } catch (RingViolation e) {
            onViolation(e);
            return 0;
        }
    }

    /**
     * Writes as much as there is space for.
     *
     * @return the number of bytes; 0 also if this side may not write: see {@link #state}
     */
    public int write(ByteBuffer source) {
        look();
        if (!state.sends()) {
            return 0;
        }
        try {
            return output.write(source);
        } catch (RingViolation e) {
            onViolation(e);
            return 0;
        }
    }

    /**
     * What has arrived, read-only and as far as it lies in one piece: for a caller that passes it on, and then states
     * by {@link #taken} how much of it. If it is empty, {@link #whyNone} says why.
     */
    public ByteBuffer arrived() {
        look();
        RingState before = state;
        whyNone = END;
        if (inputShut || closed()) {
            return NOTHING;
        }
        try {
            whyNone = nothing(before);
            return input.arrived();
        } catch (RingViolation e) {
            onViolation(e);
            whyNone = RESET;
            return NOTHING;
        }
    }

    /** What {@link #read} would have returned instead of the last {@link #arrived}, which had no bytes. */
    public int whyNone() {
        return whyNone;
    }

    /** This many bytes of {@link #arrived} were read. */
    public void taken(int bytes) {
        input.taken(bytes);
    }

    /**
     * Where a caller that has this many bytes can put some of them, in one piece; then it states their number by {@link
     * #filled}. Empty if there is no space, if this side may not write, and if the peer {@link #drops} what it is sent.
     */
    public ByteBuffer space(int wanted) {
        look();
        if (!state.sends()) {
            return NOTHING;
        }
        try {
            return output.space(wanted);
        } catch (RingViolation e) {
            onViolation(e);
            return NOTHING;
        }
    }

    /** This many bytes are in the piece of {@link #space}. */
    public void filled(int bytes) {
        output.filled(bytes);
    }

    /** Whether the peer reads no more, so that what it is sent is dropped. */
    public boolean drops() {
        return state.sends() && output.peerIsDeaf();
    }

    /** Whether bytes, the end of the stream or a failure can be read. Of the thread that reads. */
    public boolean readable() {
        look(); // before the bytes: what precedes an end that was seen is seen, too
        return available() > 0 || inputEnded() || state == RingState.LOST || closed();
    }

    /** Whether a write takes bytes or fails at once. Of the thread that writes. */
    public boolean writable() {
        look();
        if (!state.sends()) {
            return true;
        }
        try {
            return output.hasSpace();
        } catch (RingViolation e) {
            onViolation(e);
            return true;
        }
    }

    /** Whether nothing can follow what has arrived; it was looked for with {@link #readable}. */
    public boolean inputEnded() {
        return inputShut || state.inputEnds();
    }

    public RingState state() {
        return state;
    }

    /** Whether the connection was reset. */
    public boolean lost() {
        return state == RingState.LOST;
    }

    private boolean closed() {
        return state == RingState.CLOSED;
    }

    /** Why the stream was lost, if not by a reset of the peer. */
    public String reason() {
        return reason;
    }

    // Sleeping.

    /** How this side sleeps until bytes can be read. {@link #readable} is asked after the announcement, and the side sleeps if the answer is no. */
    public RingSleep forBytes() {
        return forBytes;
    }

    /** The same for space. */
    public RingSleep forSpace() {
        return forSpace;
    }

    /** Between announcements and looks. */
    public static void fence() {
        VarHandle.fullFence();
    }

    /** This side does not sleep after all, or has been woken. */
    public void awakeForBytes() {
        forBytes.withdraw();
    }

    /** The same for space. */
    public void awakeForSpace() {
        forSpace.withdraw();
    }

    /** This side has written, or has ended its output: in which ways of {@link RingSleep} the caller is to wake the peer, which sleeps for bytes. 0 is none. */
    public int takeReader() {
        VarHandle.fullFence();
        return peerForBytes.take();
    }

    /** This side has read: the same for the peer that sleeps for space. */
    public int takeWriter() {
        VarHandle.fullFence();
        return inputShut || closed() || input.hasMuchSpace() ? peerForSpace.take() : 0;
    }

    /** Where the peer waits for bytes. */
    public int peerForBytesAt() {
        return peerForBytes.at();
    }

    /** Where the peer waits for space. */
    public int peerForSpaceAt() {
        return peerForSpace.at();
    }

    // Ends.

    /** Looks whether the peer has ended anything. Returns whether the state has changed. */
    private boolean look() {
        long now = RingLayout.load(memory, peerEndingAt);
        return now != peerEnding && onEnding(now);
    }

    private synchronized boolean onEnding(long now) {
        if (now == peerEnding) {
            return false;
        }
        long before = peerEnding;
        peerEnding = now;
        if (now < before || now > RingLayout.RESET) {
            return fail("The peer has ended the stream by " + now + " after " + before + ".");
        }
        return on(
                now == RingLayout.SHUT
                        ? RingState.Event.PEER_SHUT
                        : now == RingLayout.CLOSED ? RingState.Event.PEER_CLOSED : RingState.Event.PEER_RESET);
    }

    /**
     * The system has closed the peer's end of the connection. If the peer has not said how it ends, its process has ended: then the rest
     * is as the system has it for TCP, an end of the stream, or a reset if the peer had bytes that it had not read. Of the thread that writes.
     */
    public synchronized void onPeerGone() {
        look();
        if (closed()) {
            return;
        }
        if (peerEnding < RingLayout.CLOSED) {
            on(hasUnread() ? RingState.Event.PEER_RESET : RingState.Event.PEER_CLOSED);
        }
    }

    private boolean hasUnread() {
        try {
            return output.unread() > 0;
        } catch (RingViolation e) {
            return true;
        }
    }

    private void onViolation(RingViolation e) {
        fail(String.valueOf(e.getMessage()));
    }

    /** Whether all of the memory can be accessed: a file that was truncated has lost its end. */
    public boolean intact() {
        try {
            memory.get(memory.capacity() - PROBE_BYTES, new byte[PROBE_BYTES]);
            return true;
        } catch (InternalError e) {
            return false;
        }
    }

    /** The memory is not what it was, or the peer is not one. */
    public synchronized boolean fail(String sentence) {
        reason = reason.isEmpty() ? sentence : reason;
        return on(RingState.Event.PEER_RESET);
    }

    private boolean on(RingState.Event event) {
        RingState before = state;
        state = RingState.TABLE.next(before, event);
        return state != before;
    }

    /** Sends no more. */
    public synchronized void shutdownOutput() {
        if (state.sends() || state == RingState.PEER_GONE) {
            say(RingLayout.SHUT);
        }
        on(RingState.Event.SHUT_OUTPUT);
    }

    /** Reads no more: what has arrived and will arrive is dropped. Of the thread that reads. */
    public synchronized void shutdownInput() {
        if (closed() || inputShut) {
            return;
        }
        inputShut = true;
        RingLayout.store(memory, deafAt, 1);
        try {
            input.discard();
        } catch (RingViolation e) {
            onViolation(e);
        }
    }

    /**
     * Ends the stream: the peer reads what was written, then the end of the stream, or a reset if bytes are left that this side has not read, or
     * if it is one. Nothing is accessed afterwards but the words of {@link #takeReader} and {@link #takeWriter}. Of the threads that read and write.
     */
    public synchronized void close(boolean reset) {
        if (closed()) {
            return;
        }
        say(reset || available() > 0 ? RingLayout.RESET : RingLayout.CLOSED);
        on(RingState.Event.CLOSE);
    }

    private void say(long ending) {
        RingLayout.store(memory, endingAt, ending);
    }

    // Figures.

    /** Bytes written until now. */
    public long written() {
        return output.written();
    }

    /** Bytes read until now, with those that were dropped. */
    public long read() {
        return input.read();
    }

    /** The part of the ring that is in use for reading. */
    public int inputBytes() {
        return input.windowBytes();
    }

    /** The part of the ring that is in use for writing. */
    public int outputBytes() {
        return output.windowBytes();
    }

    /** The size to which a ring grows. */
    public int mostRingBytes() {
        return ringBytes;
    }

    @Override
    public String toString() {
        return "RingEnd " + state + " written=" + written() + " read=" + read();
    }
}
