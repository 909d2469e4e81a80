package io.verbena.live;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The threads of the machine that run or want to, as the system counts them at this moment. */
final class RunnableThreads {

    private static final String LOAD = "/proc/loadavg";
    private static final Path PROCESSORS = Path.of("/sys/devices/system/cpu/online");
    private static final int MOST_BYTES = 64;

    /** After the three averages. */
    private static final int FIELD = 3;

    // One thread at a time reads.
    private static final byte[] TEXT = new byte[MOST_BYTES];
    private static @Nullable RandomAccessFile file; // an interrupt does not close it

    private RunnableThreads() {}

    /** Whether the count says something about this process: that it may use all processors of the machine. */
    static boolean meaningful(int processors) {
        try {
            return Files.readString(PROCESSORS).strip().equals("0-" + (processors - 1))
                    && count() > 0; // the thread that reads is one
        } catch (IOException _) {
            return false; // not Linux
        }
    }

    /** The number of such threads; 0 if the system does not tell. Takes two calls of the system. */
    static synchronized int count() {
        try {
            RandomAccessFile open = file;
            if (open == null) {
                open = new RandomAccessFile(LOAD, "r");
                file = open;
            }
            open.seek(0);
            return parse(TEXT, open.read(TEXT));
        } catch (IOException _) {
            return 0;
        }
    }

    static int parse(byte[] text, int length) {
        int at = 0;
        for (int field = 0; field < FIELD && at < length; at++) {
            field += text[at] == ' ' ? 1 : 0;
        }
        int number = 0;
        for (; at < length && text[at] >= '0' && text[at] <= '9'; at++) {
            number = number * 10 + text[at] - '0';
        }
        return number;
    }
}
