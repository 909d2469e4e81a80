package io.verbena.iwarp.startup;

import io.verbena.wire.MpaEnhanced;
import io.verbena.wire.MpaStartFrame;
import java.lang.foreign.MemorySegment;

/**
 * A complete Request or Reply frame as a value. The flyweights of {@code wire} decode and encode it.
 *
 * @param kind REQUEST or REPLY
 * @param markers M
 * @param crc C
 * @param rejected R; without meaning in a request
 * @param enhanced S in revision 2
 * @param reservedBits the four reserved bits as received; 0 when sending
 * @param revision 1 or 2
 * @param depths IRD and ORD; {@link ReadDepths#NOT_NEGOTIATED} if not enhanced
 * @param peerToPeer flags A to D; {@link PeerToPeer#NONE} if not enhanced
 * @param privateData the data of the application
 */
record StartUpFrame(
        MpaStartFrame.Kind kind,
        boolean markers,
        boolean crc,
        boolean rejected,
        boolean enhanced,
        int reservedBits,
        int revision,
        ReadDepths depths,
        PeerToPeer peerToPeer,
        PrivateData privateData) {

    /** The reserved bit that Linux's siw calls "GSO wanted". */
    static final int SIW_GSO_BIT = 0x08;

    /** The frame in {@code bytes}, which is complete and well formed. */
    static StartUpFrame decode(byte[] bytes) {
        MemorySegment segment = MemorySegment.ofArray(bytes);
        MpaStartFrame frame = new MpaStartFrame().wrap(segment, 0);
        int head = MpaStartFrame.LENGTH;
        ReadDepths depths = ReadDepths.NOT_NEGOTIATED;
        PeerToPeer peerToPeer = PeerToPeer.NONE;
        // RFC 6581 section 6 [2, 3]: S counts from revision 2 on; in revision 1 it is a reserved bit and not looked at.
        if (frame.enhanced()) {
            MpaEnhanced enhanced = new MpaEnhanced().wrap(segment, head);
            depths = new ReadDepths(enhanced.ird(), enhanced.ord());
            peerToPeer = PeerToPeer.received(enhanced.a(), enhanced.b(), enhanced.c(), enhanced.d());
            head += MpaEnhanced.LENGTH;
        }
        return new StartUpFrame(
                frame.kind(),
                frame.m(),
                frame.c(),
                frame.r(),
                frame.enhanced(),
                frame.res(),
                frame.rev(),
                depths,
                peerToPeer,
                PrivateData.of(bytes, head, frame.frameLength() - head));
    }

    /** The frame's bytes. */
    byte[] encode() {
        int head = MpaStartFrame.LENGTH + (enhanced ? MpaEnhanced.LENGTH : 0);
        byte[] bytes = new byte[head + privateData.length()];
        MemorySegment segment = MemorySegment.ofArray(bytes);
        // RFC 5044 section 7.1.1 [10]: reserved bits are sent as zero.
        new MpaStartFrame()
                .wrap(segment, 0)
                .kind(kind)
                .flags(0)
                .m(markers)
                .c(crc)
                .r(rejected)
                .s(enhanced)
                .rev(revision)
                .pdLength(bytes.length - MpaStartFrame.LENGTH);
        if (enhanced) {
            new MpaEnhanced()
                    .wrap(segment, MpaStartFrame.LENGTH)
                    .clear()
                    .a(peerToPeer.requested())
                    .b(peerToPeer.send())
                    .c(peerToPeer.write())
                    .d(peerToPeer.read())
                    .ird(depths.ird())
                    .ord(depths.ord());
        }
        privateData.copyTo(bytes, head);
        return bytes;
    }
}
