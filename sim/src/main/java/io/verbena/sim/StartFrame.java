package io.verbena.sim;

import io.verbena.wire.MpaEnhanced;
import io.verbena.wire.MpaStartFrame;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * An MPA Request or Reply, as written and read by a script: RFC 5044 section 7.1.1, RFC 6581 section 9.
 *
 * @param kind request or reply
 * @param markers M
 * @param crc C
 * @param rejected R
 * @param enhanced S: the four bytes of depths and flags precede the private data
 * @param revision 1 or 2
 * @param irdWord A, B and IRD, if enhanced
 * @param ordWord C, D and ORD, if enhanced
 * @param privateData the private data without the four bytes
 */
@SuppressWarnings("ArrayRecordComponent") // compared by its bytes
public record StartFrame(
        MpaStartFrame.Kind kind,
        boolean markers,
        boolean crc,
        boolean rejected,
        boolean enhanced,
        int revision,
        int irdWord,
        int ordWord,
        byte[] privateData) {

    private static final byte[] NO_DATA = new byte[0];

    /** A plain request of revision 1: no markers, no CRC, no private data. */
    public static StartFrame request() {
        return new StartFrame(MpaStartFrame.Kind.REQUEST, false, false, false, false, 1, 0, 0, NO_DATA);
    }

    /** A plain reply of revision 1 that accepts. */
    public static StartFrame reply() {
        return new StartFrame(MpaStartFrame.Kind.REPLY, false, false, false, false, 1, 0, 0, NO_DATA);
    }

    public StartFrame withMarkers() {
        return new StartFrame(kind, true, crc, rejected, enhanced, revision, irdWord, ordWord, privateData);
    }

    public StartFrame withCrc() {
        return new StartFrame(kind, markers, true, rejected, enhanced, revision, irdWord, ordWord, privateData);
    }

    public StartFrame withReject() {
        return new StartFrame(kind, markers, crc, true, enhanced, revision, irdWord, ordWord, privateData);
    }

    public StartFrame withRevision(int value) {
        return new StartFrame(kind, markers, crc, rejected, enhanced, value, irdWord, ordWord, privateData);
    }

    public StartFrame withPrivateData(byte... value) {
        return new StartFrame(kind, markers, crc, rejected, enhanced, revision, irdWord, ordWord, value);
    }

    /** Revision 2 with these depths. */
    public StartFrame withDepths(int ird, int ord) {
        MpaEnhanced words = words().ird(ird).ord(ord);
        return new StartFrame(kind, markers, crc, rejected, true, 2, words.irdWord(), words.ordWord(), privateData);
    }

    /** Revision 2, peer to peer, with these messages as ready-to-receive indication. */
    public StartFrame withPeerToPeer(boolean send, boolean write, boolean read) {
        MpaEnhanced words = words().a(true).b(send).c(write).d(read);
        return new StartFrame(kind, markers, crc, rejected, true, 2, words.irdWord(), words.ordWord(), privateData);
    }

    /** The depths and flags as a flyweight over a copy. */
    public MpaEnhanced words() {
        return new MpaEnhanced()
                .wrap(MemorySegment.ofArray(new byte[MpaEnhanced.LENGTH]), 0)
                .irdWord(irdWord)
                .ordWord(ordWord);
    }

    /** As it is on the wire. */
    public byte[] bytes() {
        int extra = enhanced ? MpaEnhanced.LENGTH : 0;
        byte[] bytes = new byte[MpaStartFrame.LENGTH + extra + privateData.length];
        MemorySegment segment = MemorySegment.ofArray(bytes);
        new MpaStartFrame()
                .wrap(segment, 0)
                .kind(kind)
                .flags(0)
                .m(markers)
                .c(crc)
                .r(rejected)
                .s(enhanced)
                .rev(revision)
                .pdLength(extra + privateData.length);
        if (enhanced) {
            new MpaEnhanced()
                    .wrap(segment, MpaStartFrame.LENGTH)
                    .irdWord(irdWord)
                    .ordWord(ordWord);
        }
        System.arraycopy(privateData, 0, bytes, MpaStartFrame.LENGTH + extra, privateData.length);
        return bytes;
    }

    /** Reads a whole frame that {@link MpaStartFrame#check} accepted. */
    static StartFrame read(byte[] bytes) {
        MemorySegment segment = MemorySegment.ofArray(bytes);
        MpaStartFrame frame = new MpaStartFrame().wrap(segment, 0);
        MpaEnhanced words = new MpaEnhanced().wrap(segment, MpaStartFrame.LENGTH);
        boolean enhanced = frame.enhanced();
        int dataAt = MpaStartFrame.LENGTH + (enhanced ? MpaEnhanced.LENGTH : 0);
        return new StartFrame(
                frame.kind(),
                frame.m(),
                frame.c(),
                frame.r(),
                enhanced,
                frame.rev(),
                enhanced ? words.irdWord() : 0,
                enhanced ? words.ordWord() : 0,
                Arrays.copyOfRange(bytes, dataAt, frame.frameLength()));
    }

    @Override
    public String toString() {
        StringBuilder out =
                new MpaStartFrame().wrap(MemorySegment.ofArray(bytes()), 0).describe(new StringBuilder());
        return enhanced ? words().describe(out.append(' ')).toString() : out.toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StartFrame frame && Arrays.equals(bytes(), frame.bytes());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes());
    }
}
