package io.verbena.ib.packet;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.verbena.base.Digest;
import io.verbena.ib.settings.RcOption;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.IbPacketOutcome;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Requests that arrived before an earlier one: they are kept until that one arrives, and reported to the peer as a bit
 * map. Part of the extension {@link RcOption#SELECTIVE_REPEAT}. The memory is allocated at the first loss.
 *
 * <pre>
 *   PSN      expected | +1 | +2 | +3 | ... | +255
 *   bit map           |  0 |  1 |  2 | ... |  254 |    bit n: byte n / 8, its bit n % 8
 * </pre>
 */
public final class EarlyPackets {

    /** Number of PSNs, starting with the expected one, that are kept; a power of 2. */
    public static final int WINDOW = 256;

    /** Length of a bit map in bytes. */
    public static final int MAP_BYTES = WINDOW / 8;

    private static final int MASK = WINDOW - 1;
    private static final int HEADERS = 64;

    private final int slotBytes;
    private final boolean[] placed = new boolean[WINDOW];
    private MemorySegment store = MemorySegment.NULL;
    private final int[] length = new int[WINDOW];
    private final int[] psns = new int[WINDOW];
    private final IbPacket packet = new IbPacket();
    private int count;

    public EarlyPackets(int mtuBytes) {
        slotBytes = mtuBytes + HEADERS;
    }

    /**
     * Keeps a packet within the window.
     *
     * @param inPlace whether its payload is in its final buffer already; then only its headers are kept
     * @return false if it is too long
     */
    public boolean keep(IbPacket early, MemorySegment segment, boolean inPlace) {
        int slot = early.bth().psn() & MASK;
        int bytes = early.lengthBytes();
        if (bytes > slotBytes) {
            return false;
        }
        if (store.byteSize() == 0) {
            store = MemorySegment.ofArray(new byte[WINDOW * slotBytes]);
        }
        int copied = inPlace ? early.opcode().headerBytes() : bytes;
        MemorySegment.copy(segment, early.offset(), store, (long) slot * slotBytes, copied);
        // A previous packet in this slot is obsolete: its PSN belonged to the response of a Read.
        count += length[slot] == 0 ? 1 : 0;
        length[slot] = bytes;
        placed[slot] = inPlace;
        psns[slot] = early.bth().psn();
        return true;
    }

    /** Whether the payload of the packet that was kept, or removed last, with this PSN is in its final buffer. */
    public boolean placed(int psn) {
        return placed[psn & MASK];
    }

    public boolean isEmpty() {
        return count == 0;
    }

    /** Whether the packet of a PSN within the window is kept. */
    public boolean has(int psn) {
        return length[psn & MASK] != 0 && psns[psn & MASK] == psn;
    }

    /** Removes a packet. It is valid until the next call; {@link #segment} contains it. */
    public IbPacket take(int psn) {
        int slot = psn & MASK;
        IbPacketOutcome outcome = packet.decode(store, (long) slot * slotBytes, length[slot]);
        assert outcome == IbPacketOutcome.OK;
        length[slot] = 0;
        count--;
        return packet;
    }

    public MemorySegment segment() {
        return store;
    }

    /** Discards all packets: the peer sends them again. */
    public void clear() {
        if (count > 0) {
            Arrays.fill(length, 0);
            count = 0;
        }
    }

    /** Writes the bit map of the kept packets after the expected PSN. */
    public void writeMap(int expectedPsn, MemorySegment target, long offset) {
        for (int i = 0; i < MAP_BYTES; i++) {
            int bits = 0;
            for (int bit = 0; bit < 8; bit++) {
                int ahead = i * 8 + bit + 1;
                bits |= ahead < WINDOW && has(Psn.plus(expectedPsn, ahead)) ? 1 << bit : 0;
            }
            target.set(JAVA_BYTE, offset + i, (byte) bits);
        }
    }

    long stateDigest(long digest) {
        return Digest.mix(digest, count);
    }
}
