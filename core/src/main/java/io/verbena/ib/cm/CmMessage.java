package io.verbena.ib.cm;

import io.verbena.wire.ib.CmApr;
import io.verbena.wire.ib.CmDrep;
import io.verbena.wire.ib.CmDreq;
import io.verbena.wire.ib.CmLap;
import io.verbena.wire.ib.CmMra;
import io.verbena.wire.ib.CmPath;
import io.verbena.wire.ib.CmRej;
import io.verbena.wire.ib.CmRep;
import io.verbena.wire.ib.CmReq;
import io.verbena.wire.ib.CmRtu;
import io.verbena.wire.ib.CmSidrRep;
import io.verbena.wire.ib.CmSidrReq;
import io.verbena.wire.ib.MadHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * One management datagram of communication management: its header, and the flyweight of each message on the same bytes.
 * Used again for each datagram.
 */
final class CmMessage {

    /** Bytes of each management datagram. */
    static final int BYTES = 256;

    static final int REQ = 0x10;
    static final int MRA = 0x11;
    static final int REJ = 0x12;
    static final int REP = 0x13;
    static final int RTU = 0x14;
    static final int DREQ = 0x15;
    static final int DREP = 0x16;
    static final int SIDR_REQ = 0x17;
    static final int SIDR_REP = 0x18;
    static final int LAP = 0x19;
    static final int APR = 0x1a;

    private static final int BASE_VERSION = 1;
    private static final int CM_CLASS = 7;
    private static final int CM_VERSION = 2;
    private static final int SEND = 3;

    private final MadHeader header = new MadHeader();
    private final CmReq req = new CmReq();
    private final CmMra mra = new CmMra();
    private final CmRej rej = new CmRej();
    private final CmRep rep = new CmRep();
    private final CmRtu rtu = new CmRtu();
    private final CmDreq dreq = new CmDreq();
    private final CmDrep drep = new CmDrep();
    private final CmLap lap = new CmLap();
    private final CmApr apr = new CmApr();
    private final CmSidrReq sidrReq = new CmSidrReq();
    private final CmSidrRep sidrRep = new CmSidrRep();
    private final CmPath path = new CmPath();
    private MemorySegment segment = MemorySegment.NULL;
    private long body;
    private byte[] bytes = {};

    /** Reads a datagram. Returns false if it is not of communication management, version 2. */
    boolean read(MemorySegment source, long offset, int length) {
        if (length != BYTES) {
            return false;
        }
        at(source, offset);
        return header.baseVersion() == BASE_VERSION
                && header.mgmtClass() == CM_CLASS
                && header.classVersion() == CM_VERSION
                && header.method() == SEND
                && !header.response()
                && header.status() == 0;
    }

    /** A copy of the datagram. */
    byte[] copy() {
        return segment.asSlice(body - MadHeader.LENGTH, BYTES).toArray(ValueLayout.JAVA_BYTE);
    }

    private void at(MemorySegment source, long offset) {
        segment = source;
        body = offset + MadHeader.LENGTH;
        header.wrap(source, offset);
    }

    /** Begins a new datagram. */
    CmMessage begin(int attribute, long transaction) {
        bytes = new byte[BYTES];
        at(MemorySegment.ofArray(bytes), 0);
        header.baseVersion(BASE_VERSION)
                .mgmtClass(CM_CLASS)
                .classVersion(CM_VERSION)
                .method(SEND)
                .transactionId(transaction)
                .attributeId(attribute);
        return this;
    }

    /** The datagram that was begun. */
    byte[] bytes() {
        return bytes;
    }

    /**
     * The private data of the received message, followed by the attribute modifier of the datagram if the modifier is not zero.
     * Communication management does not use the modifier (InfiniBand architecture specification, volume 1, section 16.7.1), and
     * Linux does not examine it.
     */
    byte[] extended(byte[] privateData) {
        int modifier = header.attributeModifier();
        if (modifier == 0) {
            return privateData;
        }
        byte[] extended = Arrays.copyOf(privateData, privateData.length + Integer.BYTES);
        ByteBuffer.wrap(extended).putInt(privateData.length, modifier);
        return extended;
    }

    /** Puts the four bytes that follow a whole field of private data into the attribute modifier; see {@link #extended}. */
    CmMessage extend(byte[] privateData, int fieldBytes) {
        if (privateData.length >= fieldBytes + Integer.BYTES) {
            header.attributeModifier(ByteBuffer.wrap(privateData).getInt(fieldBytes));
        }
        return this;
    }

    int attribute() {
        return header.attributeId();
    }

    long transaction() {
        return header.transactionId();
    }

    CmReq req() {
        return req.wrap(segment, body);
    }

    /** The primary path of a REQ. */
    CmPath primary() {
        return req().primary(path);
    }

    CmMra mra() {
        return mra.wrap(segment, body);
    }

    CmRej rej() {
        return rej.wrap(segment, body);
    }

    CmRep rep() {
        return rep.wrap(segment, body);
    }

    CmRtu rtu() {
        return rtu.wrap(segment, body);
    }

    CmDreq dreq() {
        return dreq.wrap(segment, body);
    }

    CmDrep drep() {
        return drep.wrap(segment, body);
    }

    CmLap lap() {
        return lap.wrap(segment, body);
    }

    CmApr apr() {
        return apr.wrap(segment, body);
    }

    CmSidrReq sidrReq() {
        return sidrReq.wrap(segment, body);
    }

    CmSidrRep sidrRep() {
        return sidrRep.wrap(segment, body);
    }

    /** Appends one line for people. */
    StringBuilder describe(StringBuilder out) {
        return switch (attribute()) {
            case REQ -> req().describe(out);
            case MRA -> mra().describe(out);
            case REJ -> rej().describe(out);
            case REP -> rep().describe(out);
            case RTU -> rtu().describe(out);
            case DREQ -> dreq().describe(out);
            case DREP -> drep().describe(out);
            case SIDR_REQ -> sidrReq().describe(out);
            case SIDR_REP -> sidrRep().describe(out);
            case LAP -> lap().describe(out);
            case APR -> apr().describe(out);
            default -> header.describe(out);
        };
    }
}
