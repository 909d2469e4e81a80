package io.verbena.wire.ib;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The sums of the masked headers up to the first eight bytes of the BTH, which are the same for all packets of a flow
 * that have one length and one position in their messages, but for the identification of IPv4: CRC is linear, so that
 * its part of the sum is added from a table. Keeps one flow for each of some lengths, and one beginning of a BTH for
 * each flow.
 */
final class FlowSums {

    private static final int FLOWS = 16;
    private static final int LRH_BYTES = 8;
    private static final int AFTER_LRH = ShortCrc32.update(ShortCrc32.START, -1L);
    private static final int VALUES = 256;

    /** What each value of the first byte of an identification adds to the sum, and then of the second byte. */
    private static final int[] PARTS = parts();

    private final ByteBuffer fields = ByteBuffer.allocate(Icrc.Flow.MOST_BYTES);
    private final Icrc.@Nullable Flow[] flows = new Icrc.Flow[FLOWS];
    private final int[] lengths = new int[FLOWS];
    private final int[] sums = new int[FLOWS];
    private final long[] heads = new long[FLOWS];
    private final int[] sumsWithHeads = new int[FLOWS];

    private static int[] parts() {
        int[] parts = new int[2 * VALUES];
        for (int value = 0; value < VALUES; value++) {
            parts[value] = part(value << Byte.SIZE);
            parts[VALUES + value] = part(value);
        }
        return parts;
    }

    /** What an identification adds: the sum of its bytes and of zeros behind it. */
    private static int part(int identification) {
        ByteBuffer bytes = ByteBuffer.allocate(Icrc.Flow.FROM_IDENTIFICATION + Long.BYTES);
        bytes.putShort(0, (short) identification);
        return ShortCrc32.update(0, bytes, 0, bytes.capacity());
    }

    /**
     * The state of the sum after the first eight bytes of the BTH.
     *
     * @param udpPayloadBytes from the BTH to the end of the ICRC
     * @param head these bytes, masked
     * @param identification of IPv4; ignored for IPv6
     */
    int after(Icrc.Flow flow, int udpPayloadBytes, long head, int identification) {
        int at = udpPayloadBytes / Integer.BYTES % FLOWS;
        Icrc.Flow known = flows[at];
        if (known == null || lengths[at] != udpPayloadBytes || !known.same(flow)) {
            remember(at, flow, udpPayloadBytes);
        }
        if (heads[at] != head) {
            sumHead(at, head);
        }
        int sum = sumsWithHeads[at];
        return flow.ipv4()
                ? sum ^ PARTS[identification >>> Byte.SIZE & 0xff] ^ PARTS[VALUES + (identification & 0xff)]
                : sum;
    }

    private void sumHead(int at, long head) {
        heads[at] = head;
        sumsWithHeads[at] = ShortCrc32.update(sums[at], head);
    }

    private void remember(int at, Icrc.Flow flow, int udpPayloadBytes) {
        Icrc.Flow known = flows[at];
        if (known == null) {
            known = new Icrc.Flow();
            flows[at] = known;
        }
        known.set(flow);
        lengths[at] = udpPayloadBytes;
        int end = flow.write(fields, udpPayloadBytes);
        sums[at] = ShortCrc32.update(AFTER_LRH, fields, LRH_BYTES, end);
        sumHead(at, heads[at]);
    }
}
