package io.verbena.host.system;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * For how long a thread was ready to run and did not, because other threads had the processors: the run delay of Linux, the second
 * number of {@code /proc/thread-self/schedstat}. Reading it takes about 2 µs and allocates nothing.
 */
public final class RunDelay {

    /** Returned where the system does not count it, and to threads for which no file is kept open. */
    public static final long UNKNOWN = -1;

    /** Files are kept open for this many threads of the process at most. */
    private static final int MOST = 256;

    private static final String FILE = "/proc/thread-self/schedstat";
    private static final AtomicInteger OPEN = new AtomicInteger();
    private static final ThreadLocal<RunDelay> OF_THREAD = ThreadLocal.withInitial(RunDelay::new);

    private final byte[] text = new byte[64];
    private final @Nullable RandomAccessFile file;

    private RunDelay() {
        @Nullable RandomAccessFile opened = null;
        if (OPEN.incrementAndGet() <= MOST) {
            try {
                opened = new RandomAccessFile(FILE, "r");
            } catch (IOException | SecurityException _) {
                opened = null; // another system
            }
        }
        file = opened;
    }

    /** Of the calling thread since it started, in nanoseconds; {@link #UNKNOWN} if that is not counted. */
    public static long ofThisThreadNs() {
        return Thread.currentThread().isVirtual() ? UNKNOWN : OF_THREAD.get().readNs();
    }

    private long readNs() {
        if (file == null) {
            return UNKNOWN;
        }
        try {
            file.seek(0);
            return secondNumber(text, file.read(text));
        } catch (IOException _) {
            return UNKNOWN;
        }
    }

    /** The second of the decimal numbers that spaces separate. */
    static long secondNumber(byte[] text, int length) {
        int at = 0;
        while (at < length && text[at] != ' ') {
            at++;
        }
        at++;
        if (at >= length) {
            return UNKNOWN;
        }
        long number = 0;
        for (; at < length && text[at] >= '0' && text[at] <= '9'; at++) {
            number = number * 10 + text[at] - '0';
        }
        return number;
    }
}
