package io.verbena.tools.handlers;

import java.util.zip.CRC32C;

/** The work of an event: a checksum over memory of its own. A stream of events also touches lines that it shares with no other. */
final class EventWork {

    /** Cache lines of its stream that an event touches. */
    static final int TOUCHED_LINES = 8;

    static final int LONGS_A_LINE = 8;

    /** Those of all streams of both processors fit into the first cache of one. */
    private static final int BYTES = 2048;

    private final CRC32C crc = new CRC32C();
    private final byte[] bytes = new byte[BYTES];

    void run() {
        crc.update(bytes, 0, BYTES);
        bytes[0] = (byte) crc.getValue();
    }

    /** Changes a word of each line but the first. */
    static void touch(long[] lines) {
        for (int line = 1; line <= TOUCHED_LINES; line++) {
            lines[line * LONGS_A_LINE]++;
        }
    }
}
