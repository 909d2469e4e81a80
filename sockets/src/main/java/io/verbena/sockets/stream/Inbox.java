package io.verbena.sockets.stream;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Completions of one socket between the thread that found them and the thread that has the socket's lock. One thread at a
 * time offers, one at a time takes; neither waits for the other.
 *
 * <p>It holds as many entries as the queue pair has work requests, because each of them completes once.
 */
final class Inbox {

    private static final VarHandle HEAD;
    private static final VarHandle TAIL;

    static {
        try {
            HEAD = MethodHandles.lookup().findVarHandle(Inbox.class, "head", long.class);
            TAIL = MethodHandles.lookup().findVarHandle(Inbox.class, "tail", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * The entry of work that failed. Any other entry is the number of a completed send, or one of {@link #received}
     * or {@link #receivedSend}.
     */
    static final long FAILED = 1L << 63;

    private static final long RECEIVED = 1L << 62;
    private static final long SEND = 1L << 61;

    private final long[] entries;

    @SuppressWarnings("UnusedVariable") // through HEAD
    private long head;

    @SuppressWarnings("UnusedVariable") // through TAIL
    private long tail;

    /** Holds at least {@code most} entries. */
    Inbox(int most) {
        entries = new long[Integer.highestOneBit(most - 1) << 1];
    }

    void offer(long entry) {
        long at = (long) TAIL.getOpaque(this);
        assert at - (long) HEAD.getAcquire(this) < entries.length : "more completions than work requests";
        entries[(int) at & entries.length - 1] = entry;
        // Volatile: the offering thread looks at the lock next, see StreamSocket.unlock.
        TAIL.setVolatile(this, at + 1);
    }

    boolean isEmpty() {
        return (long) HEAD.getOpaque(this) == (long) TAIL.getVolatile(this);
    }

    /** The next entry, which {@link #isEmpty} has shown to be there. */
    long take() {
        long at = (long) HEAD.getOpaque(this);
        long entry = entries[(int) at & entries.length - 1];
        HEAD.setRelease(this, at + 1);
        return entry;
    }

    /** The entry of a message that completed a receive. */
    static long received(int receive, int message) {
        return RECEIVED | (long) receive << Integer.SIZE | Integer.toUnsignedLong(message);
    }

    /** The entry of a Send that completed a receive. */
    static long receivedSend(int receive, int bytes) {
        return SEND | received(receive, bytes);
    }

    static boolean isSend(long entry) {
        return (entry & SEND) != 0;
    }

    static boolean isReceive(long entry) {
        return (entry & RECEIVED) != 0;
    }

    static int receive(long entry) {
        return (int) (entry >>> Integer.SIZE) & 0xFFFF;
    }

    /** The message of a receive, or of {@link #isSend} the number of bytes. */
    static int message(long entry) {
        return (int) entry;
    }
}
