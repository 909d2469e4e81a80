package io.verbena.sockets.ring.channel;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The threads of the machine that run or want to, as the system counts them at this moment. */
final class RunnableThreads {

    private static final String LOAD = "/proc/loadavg";
    private static final Path PROCESSORS = Path.of("/sys/devices/system/cpu/online");
    private static final int MOST_BYTES = 64;

    /** After the three averages. */
    private static final int FIELD = 3;

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

    /** The number of such threads; 0 if the system does not tell. */
    static int count() {
        byte[] text = new byte[MOST_BYTES];
        try (RandomAccessFile file = new RandomAccessFile(LOAD, "r")) { // an interrupt does not close it
            int length = Math.max(0, file.read(text));
            return parse(new String(text, 0, length, StandardCharsets.US_ASCII));
        } catch (IOException | NumberFormatException _) {
            return 0;
        }
    }

    static int parse(String line) {
        String[] fields = line.split(" ", -1);
        return fields.length > FIELD ? Integer.parseInt(fields[FIELD].split("/", -1)[0]) : 0;
    }
}
