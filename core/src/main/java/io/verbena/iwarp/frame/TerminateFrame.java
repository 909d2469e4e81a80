package io.verbena.iwarp.frame;

import io.verbena.base.Slab;
import io.verbena.base.TransmitList;
import io.verbena.iwarp.startup.Negotiated;
import io.verbena.iwarp.startup.StartUpTerminate;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.FpduHeader;
import io.verbena.wire.Marker;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.Terminate;
import io.verbena.wire.TerminateCode;

/** The only FPDU of a stream that ends because the peer's Reply is unacceptable (RFC 6581 section 9.3). */
public final class TerminateFrame {

    /** Maximum length in bytes. */
    public static final int MAX_BYTES =
            FpduHeader.fpduLength(DdpUntagged.LENGTH + Terminate.MAX_LENGTH) + 2 * Marker.LENGTH;

    private TerminateFrame() {}

    /**
     * Writes it to the beginning of a slab.
     *
     * @param framing determines the framing of FPDUs on this stream
     * @return number of bytes written, at most {@link #MAX_BYTES}
     */
    public static int write(Negotiated.Framing framing, StartUpTerminate reason, Slab into) {
        TransmitList list = new TransmitList(MAX_BYTES);
        TerminateBuilder terminate = new TerminateBuilder();
        terminate.reason(TerminateCode.of(reason.layer(), reason.type(), reason.code()));
        FpduFramer framer = new FpduFramer(framing.crc(), framing.sendMarkers());
        framer.open(list, 0, DdpUntagged.LENGTH + terminate.length());
        new DdpUntagged()
                .wrap(framer.segment(), framer.offset())
                .control(RdmapOpcode.TERMINATE, true)
                .invalidateStag(0)
                .qn(RdmapOpcode.TERMINATE.qn())
                .msn(DdpUntagged.FIRST_MSN)
                .mo(0);
        terminate.write(framer.segment(), framer.offset() + DdpUntagged.LENGTH);
        framer.close(list, 0);
        list.copyOut(0, list.bytes(), into, 0);
        return list.bytes();
    }
}
