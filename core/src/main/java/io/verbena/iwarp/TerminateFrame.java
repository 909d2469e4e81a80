package io.verbena.iwarp;

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

/** The one FPDU of a stream that ends before it began: what the peer's Reply made impossible (RFC 6581 section 9.3). */
public final class TerminateFrame {

    /** Room that it needs at most. */
    public static final int MOST_BYTES =
            FpduHeader.fpduLength(DdpUntagged.LENGTH + Terminate.MAX_LENGTH) + 2 * Marker.LENGTH;

    private TerminateFrame() {}

    /**
     * Writes it to the beginning of a slab.
     *
     * @param framing how FPDUs look on this stream
     * @return bytes written, at most {@link #MOST_BYTES}
     */
    public static int write(Negotiated framing, StartUpTerminate reason, Slab into) {
        TransmitList list = new TransmitList(MOST_BYTES);
        TerminateNote note = new TerminateNote();
        note.of(TerminateCode.of(reason.layer(), reason.type(), reason.code()));
        FpduFramer framer = new FpduFramer(framing.crc(), framing.sendMarkers());
        framer.open(list, 0, DdpUntagged.LENGTH + note.length());
        new DdpUntagged()
                .wrap(framer.segment(), framer.offset())
                .control(RdmapOpcode.TERMINATE, true)
                .invalidateStag(0)
                .qn(RdmapOpcode.TERMINATE.qn())
                .msn(DdpUntagged.FIRST_MSN)
                .mo(0);
        note.write(framer.segment(), framer.offset() + DdpUntagged.LENGTH);
        framer.close(list, 0);
        list.copyOut(0, list.bytes(), into, 0);
        return list.bytes();
    }
}
