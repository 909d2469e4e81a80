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

    /** Number of PSNs, starting with the expected one, that are kept with selective repeat; a power of 2. */
    public static final int WINDOW = 256;

    /** Length of a bit map in bytes with selective repeat. */
    public static final int MAP_BYTES = WINDOW / 8;

    private static final int HEADERS = 88;

    private final int slotBytes;
    private final int window;
    private final int mask;
    private final boolean[] placed;
    private MemorySegment store = MemorySegment.NULL;
    private final int[] length;
    private final int[] psns;
    private final IbPacket packet = new IbPacket();
    private int count;

    /** The highest PSN that was kept since the store was empty. */
    private int highestPsn;

    /** The packet that was removed last, which can be put back. */
    private int takenLength;

    public EarlyPackets(int mtuBytes) {
        this(mtuBytes, WINDOW);
    }

    /** Keeps packets of this number of PSNs, a power of 2. */
    public EarlyPackets(int mtuBytes, int window) {
        slotBytes = mtuBytes + HEADERS;
        this.window = window;
        mask = window - 1;
        placed = new boolean[window];
        length = new int[window];
        psns = new int[window];
    }

    /** Number of PSNs, starting with the expected one, that are kept. */
    public int window() {
        return window;
    }

    /**
     * Keeps a packet within the window.
     *
     * @param inPlace whether its payload is in its final buffer already; then only its headers are kept
     * @return false if it is too long
     */
    public boolean keep(IbPacket early, MemorySegment segment, boolean inPlace) {
        int slot = early.bth().psn() & mask;
        int bytes = early.lengthBytes();
        if (bytes > slotBytes) {
            return false;
        }
        if (store.byteSize() == 0) {
            store = MemorySegment.ofArray(new byte[window * slotBytes]);
        }
        int copied = inPlace ? early.headerBytes() : bytes;
        MemorySegment.copy(segment, early.offset(), store, (long) slot * slotBytes, copied);
        int psn = early.bth().psn();
        highestPsn = count == 0 || Psn.distance(psn, highestPsn) > 0 ? psn : highestPsn;
        // A previous packet in this slot is obsolete: its PSN belonged to the response of a Read.
        count += length[slot] == 0 ? 1 : 0;
        length[slot] = bytes;
        placed[slot] = inPlace;
        psns[slot] = psn;
        return true;
    }

    /** Whether the payload of the packet that was kept, or removed last, with this PSN is in its final buffer. */
    public boolean placed(int psn) {
        return placed[psn & mask];
    }

    public boolean isEmpty() {
        return count == 0;
    }

    /** Whether the packet of a PSN within the window is kept. */
    public boolean has(int psn) {
        return length[psn & mask] != 0 && psns[psn & mask] == psn;
    }

    /** Removes a packet. It is valid until the next call; {@link #segment} contains it. */
    public IbPacket take(int psn) {
        int slot = psn & mask;
        IbPacketOutcome outcome = packet.decode(store, (long) slot * slotBytes, length[slot]);
        assert outcome == IbPacketOutcome.OK;
        takenLength = length[slot];
        length[slot] = 0;
        count--;
        return packet;
    }

    /** Puts the packet back that was removed last: it could not be executed yet. */
    public void putBack(int psn) {
        length[psn & mask] = takenLength;
        count++;
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
    public void writeMap(int expectedPsn, MemorySegment target, long offset, int bytes) {
        for (int i = 0; i < bytes; i++) {
            int bits = 0;
            for (int bit = 0; bit < 8; bit++) {
                int ahead = i * 8 + bit + 1;
                bits |= ahead < window && has(Psn.plus(expectedPsn, ahead)) ? 1 << bit : 0;
            }
            target.set(JAVA_BYTE, offset + i, (byte) bits);
        }
    }

    /** Length of a bit map up to the highest packet, in bytes: whole words of 4. */
    public int mapBytes(int expectedPsn) {
        int bits = count == 0 ? 0 : Math.clamp(Psn.distance(highestPsn, expectedPsn), 0, window - 1);
        return (bits + Integer.SIZE - 1) / Integer.SIZE * Integer.BYTES;
    }

    /** A digest of which packets are kept: their bytes follow from their PSNs. */
    public long stateDigest(long digest) {
        long d = Digest.mix(digest, count);
        for (int slot = 0; count > 0 && slot < window; slot++) {
            if (length[slot] > 0) {
                d = Digest.mix(d, (long) psns[slot] << 32 | (long) length[slot] << 1 | (placed[slot] ? 1 : 0));
            }
        }
        return count > 0 ? Digest.mix(d, highestPsn) : d;
    }
}
