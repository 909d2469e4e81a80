package io.verbena.sockets.protocol;

import java.nio.ByteBuffer;

/**
 * An entry of the table of targets: memory that the peer may fill. The reader of data writes it, by RDMA, into the
 * table of the sender of data.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                                                               |
 *  +                           Address                             +
 *  |                                                               |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                             Key                               |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                            Length                             |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>The fields have the byte order of the owner of the table, which its {@link ConnectData#flags} state. Verbena's
 * table is little-endian on every machine: librdmacm on x86 loses its own flags when the byte orders differ.
 * Source: librdmacm, {@code rsocket.c}, {@code struct rs_sge}.
 */
final class TargetEntry {

    /** Bytes. */
    static final int LENGTH = 16;

    private static final int AT_KEY = 8;
    private static final int AT_LENGTH = 12;

    private TargetEntry() {}

    /** Writes an entry in the byte order of the buffer. */
    static void write(ByteBuffer entry, long address, int key, int length) {
        entry.putLong(0, address).putInt(AT_KEY, key).putInt(AT_LENGTH, length);
    }

    static long address(ByteBuffer table, int offset) {
        return table.getLong(offset);
    }

    static int key(ByteBuffer table, int offset) {
        return table.getInt(offset + AT_KEY);
    }

    /** In bytes, unsigned; 0 for an entry that the peer has not written since {@link #clear}. */
    static int length(ByteBuffer table, int offset) {
        return table.getInt(offset + AT_LENGTH);
    }

    static void clear(ByteBuffer table, int offset) {
        table.putInt(offset + AT_LENGTH, 0);
    }
}
