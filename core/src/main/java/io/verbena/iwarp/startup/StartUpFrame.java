package io.verbena.iwarp.startup;

import io.verbena.wire.MpaEnhanced;
import io.verbena.wire.MpaStartFrame;
import java.lang.foreign.MemorySegment;

/**
 * A complete Request or Reply frame as a value. The flyweights of {@code wire} decode and encode it.
 *
 * @param kind REQUEST or REPLY
 * @param flags M, C, R, S and the reserved bits
 * @param revision 1 or 2
 * @param depths IRD and ORD; {@link ReadDepths#NOT_NEGOTIATED} if not enhanced
 * @param peerToPeer flags A to D; {@link PeerToPeer#NONE} if not enhanced
 * @param privateData the data of the application
 */
record StartUpFrame(
        MpaStartFrame.Kind kind,
        MpaFlags flags,
        int revision,
        ReadDepths depths,
        PeerToPeer peerToPeer,
        PrivateData privateData) {

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
                new MpaFlags(frame.m(), frame.c(), frame.r(), frame.enhanced(), frame.res()),
                frame.rev(),
                depths,
                peerToPeer,
                PrivateData.of(bytes, head, frame.frameLength() - head));
    }

    /** The frame's bytes. */
    byte[] encode() {
        int head = MpaStartFrame.LENGTH + (flags.enhanced() ? MpaEnhanced.LENGTH : 0);
        byte[] bytes = new byte[head + privateData.length()];
        MemorySegment segment = MemorySegment.ofArray(bytes);
        // RFC 5044 section 7.1.1 [10]: reserved bits are sent as zero.
        new MpaStartFrame()
                .wrap(segment, 0)
                .kind(kind)
                .flags(0)
                .m(flags.markers())
                .c(flags.crc())
                .r(flags.rejected())
                .s(flags.enhanced())
                .rev(revision)
                .pdLength(bytes.length - MpaStartFrame.LENGTH);
        if (flags.enhanced()) {
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
