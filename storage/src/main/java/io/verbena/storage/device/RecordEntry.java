package io.verbena.storage.device;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * One entry of a record: a command of a device that succeeded. The data of a write follow.
 *
 * <pre>
 *   0  magic "VDR1"
 *   4  kind | durable | 2 bytes 0
 *   8  first block
 *  16  number of blocks
 *  24  bytes of data that follow
 * </pre>
 *
 * <p>Integers are little endian.
 *
 * @param kind what the command did
 * @param block first block
 * @param blocks number of blocks
 * @param durable whether the command was durable before it returned
 * @param dataBytes bytes of data that follow
 */
record RecordEntry(Kind kind, long block, long blocks, boolean durable, int dataBytes) {
    static final int LENGTH = 32;
    private static final int MAGIC = 'V' | 'D' << 8 | 'R' << 16 | '1' << 24;

    /** Commands that change a device, or what a power cut may change. */
    enum Kind {
        WRITE,
        WRITE_ZEROES,
        DEALLOCATE,
        FLUSH;

        private static final Kind[] ALL = values();
    }

    void writeTo(ByteBuffer out) {
        out.order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(MAGIC)
                .put((byte) kind.ordinal())
                .put((byte) (durable ? 1 : 0))
                .putShort((short) 0);
        out.putLong(block).putLong(blocks).putLong(dataBytes);
    }

    /** Reads an entry and checks that the device has its blocks. */
    static RecordEntry readFrom(ByteBuffer in, BlockDevice device) throws BadRecordException {
        in.order(ByteOrder.LITTLE_ENDIAN);
        int magic = in.getInt();
        int kind = in.get() & 0xff;
        boolean durable = in.get() == 1;
        in.getShort();
        long block = in.getLong();
        long blocks = in.getLong();
        long dataBytes = in.getLong();
        if (magic != MAGIC || kind >= Kind.ALL.length) {
            throw new BadRecordException("This is not an entry of a record of a disk; check the file.");
        }
        if (block < 0 || blocks < 0 || block > device.blocks() || blocks > device.blocks() - block) {
            throw new BadRecordException("The record has " + blocks + " blocks from block " + block
                    + ", but the disk has only " + device.blocks() + "; give a disk of the recorded size.");
        }
        boolean write = Kind.ALL[kind] == Kind.WRITE;
        boolean fits = blocks <= Integer.MAX_VALUE / device.blockBytes() || Kind.ALL[kind] == Kind.DEALLOCATE;
        if (!fits || dataBytes != (write ? blocks * device.blockBytes() : 0)) {
            throw new BadRecordException("The record has " + dataBytes + " bytes for " + blocks
                    + " blocks; give a disk with blocks of the recorded size.");
        }
        return new RecordEntry(Kind.ALL[kind], block, blocks, durable, (int) dataBytes);
    }
}
