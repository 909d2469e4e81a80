package io.verbena.iwarp;

import io.verbena.base.TransmitList;
import io.verbena.iwarp.startup.RtrKind;
import io.verbena.queue.Wqe;
import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.AtomicOpcode;
import io.verbena.wire.AtomicRequest;
import io.verbena.wire.DdpTagged;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.ImmediateData;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.ReadRequest;
import io.verbena.work.LocalBuffers;
import io.verbena.work.Moved;
import java.nio.ByteBuffer;

/**
 * Builds the FPDUs of our own messages. Each method adds one FPDU to the list, at a state of sending that it reads and
 * does not change; {@link #wireLength}, {@link #payload} and {@link #last} tell what was added.
 */
final class RequestFrames {

    /**
     * Payload of a frame from this size on may stay in user memory when nothing is summed (the slab rule). Below it one
     * copy and one system call for many frames cost less than three calls a frame.
     */
    private static final int VIEW_THRESHOLD = 48 * 1024;

    /** The same where one call takes all pieces: a piece more costs the system about as much as copying so much. */
    private static final int GATHER_THRESHOLD = 4 * 1024;

    private static final int SOME_STAG = 1;

    private final StreamSettings settings;
    private final FpduFramer framer;
    private final LocalBuffers buffers;
    private final int readSinkStag;
    private final DdpTagged tagged = new DdpTagged();
    private final DdpUntagged untagged = new DdpUntagged();
    private final ReadRequest readRequest = new ReadRequest();
    private final AtomicRequest atomicRequest = new AtomicRequest();
    private final ImmediateData immediateData = new ImmediateData();

    private int wireLength;
    private int payload;
    private boolean last;

    RequestFrames(StreamSettings settings, FpduFramer framer, LocalBuffers buffers, int readSinkStag) {
        this.settings = settings;
        this.framer = framer;
        this.buffers = buffers;
        this.readSinkStag = readSinkStag;
    }

    /** Payload of a frame from this size on may stay in user memory. */
    static int viewThreshold(TransmitList list) {
        return list.gathered() ? GATHER_THRESHOLD : VIEW_THRESHOLD;
    }

    /** Bytes on the wire of the FPDU added last. */
    int wireLength() {
        return wireLength;
    }

    /** Bytes of the message in it. */
    int payload() {
        return payload;
    }

    /** Whether its message is complete with it. */
    boolean last() {
        return last;
    }

    /** The next FPDU of the work under way. */
    Framed work(TransmitList list, TransmitState state, Wqe wqe) {
        if (state.immediateLeft) {
            return immediate(list, state, wqe);
        }
        return switch (wqe.opcode()) {
            case SEND, SEND_WITH_INVALIDATE -> data(list, state, wqe, sendOpcode(wqe));
            case SEND_WITH_IMMEDIATE -> immediate(list, state, wqe);
            case WRITE, WRITE_WITH_IMMEDIATE -> data(list, state, wqe, RdmapOpcode.WRITE);
            case READ, READ_WITH_INVALIDATE -> readRequest(list, state, wqe);
            case COMPARE_AND_SWAP, FETCH_AND_ADD -> atomicRequest(list, state, wqe);
            case BIND, UNBIND, LOCAL_INVALIDATE, DELAY, RECEIVE ->
                throw new AssertionError("has no frame: " + wqe.opcode());
        };
    }

    private static RdmapOpcode sendOpcode(Wqe wqe) {
        boolean invalidates = wqe.opcode() == WorkOpcode.SEND_WITH_INVALIDATE;
        if (wqe.solicited()) {
            return invalidates ? RdmapOpcode.SEND_SE_INVALIDATE : RdmapOpcode.SEND_SE;
        }
        return invalidates ? RdmapOpcode.SEND_INVALIDATE : RdmapOpcode.SEND;
    }

    /** One segment of a Send or Write. */
    private Framed data(TransmitList list, TransmitState state, Wqe wqe, RdmapOpcode opcode) {
        int left = wqe.length() - (int) state.offset;
        int count = Math.min(left, settings.maxPayloadBytes());
        boolean isLast = count == left;
        int headerLength = opcode.headerLength();
        if (count >= viewThreshold(list) && framer.mayUseViews()) {
            ByteBuffer view = buffers.view(wqe, state.offset, count, false);
            if (view.remaining() == count) {
                if (!framer.openAround(list, headerLength, count)) {
                    return Framed.NO_ROOM;
                }
                int viewOffset = view.position();
                dataHeader(state, wqe, opcode, isLast);
                return added(framer.closeAround(list, view, viewOffset, buffers.viewAddress(), count), count, isLast);
            }
        }
        if (!framer.open(list, state.position, headerLength + count)) {
            return Framed.NO_ROOM;
        }
        dataHeader(state, wqe, opcode, isLast);
        Moved moved = gather(list, state, wqe, headerLength, count);
        if (moved != Moved.DONE) {
            framer.cancel(list);
            return Framed.of(moved);
        }
        return added(framer.close(list, state.position), count, isLast);
    }

    private Moved gather(TransmitList list, TransmitState state, Wqe wqe, int headerLength, int count) {
        int at = framer.offset() + headerLength;
        int done = 0;
        do {
            int piece = framer.piece(count - done);
            Moved moved = buffers.gather(wqe, state.offset + done, framer.segment(), at + done, piece);
            if (moved != Moved.DONE) {
                return moved;
            }
            done += piece;
            framer.put(list, at + done);
        } while (done < count);
        return Moved.DONE;
    }

    private void dataHeader(TransmitState state, Wqe wqe, RdmapOpcode opcode, boolean isLast) {
        if (opcode.tagged()) {
            tagged.wrap(framer.segment(), framer.offset())
                    .control(opcode, isLast)
                    .stag(wqe.rkey())
                    .to(wqe.remoteAddress() + state.offset);
        } else {
            untagged.wrap(framer.segment(), framer.offset())
                    .control(opcode, isLast)
                    .invalidateStag(opcode.invalidates() ? wqe.rkey() : 0)
                    .qn(opcode.qn())
                    .msn(state.sendMsn)
                    .mo(state.offset);
        }
    }

    private Framed immediate(TransmitList list, TransmitState state, Wqe wqe) {
        RdmapOpcode opcode = wqe.solicited() ? RdmapOpcode.IMMEDIATE_SE : RdmapOpcode.IMMEDIATE;
        if (!openUntagged(list, state, opcode, state.sendMsn, ImmediateData.LENGTH)) {
            return Framed.NO_ROOM;
        }
        immediateData.wrap(framer.segment(), payloadOffset()).immediateData(wqe.operand1());
        return added(framer.close(list, state.position), 0, true);
    }

    private Framed readRequest(TransmitList list, TransmitState state, Wqe wqe) {
        if (settings.outboundReads() == 0) {
            return Framed.NO_READS_AGREED;
        }
        if (!buffers.usable(wqe, true)) {
            return Framed.SINK_NOT_WRITABLE;
        }
        return readRequest(list, state, wqe.length(), wqe.rkey(), wqe.remoteAddress());
    }

    private Framed readRequest(TransmitList list, TransmitState state, int length, int stag, long to) {
        if (!openUntagged(list, state, RdmapOpcode.READ_REQUEST, state.readMsn, ReadRequest.LENGTH)) {
            return Framed.NO_ROOM;
        }
        readRequest
                .wrap(framer.segment(), payloadOffset())
                .sinkStag(readSinkStag)
                .sinkTo(sinkTo(state.readMsn))
                .rdmardsz(length)
                .srcStag(stag)
                .srcTo(to);
        return added(framer.close(list, state.position), 0, true);
    }

    /**
     * Where the answer to a Read request goes, as the peer names it: the sink key is no region's key, only Read
     * Responses are looked up by it, and the offset's upper half says which Read. So a scatter list needs one key, and
     * no buffer of ours becomes writable by the peer (RFC 5040 section 4.4 [note] leaves the choice of the sink STag to
     * us).
     */
    static long sinkTo(int readMsn) {
        return (long) readMsn << 32;
    }

    private Framed atomicRequest(TransmitList list, TransmitState state, Wqe wqe) {
        if (settings.outboundReads() == 0) {
            return Framed.NO_READS_AGREED;
        }
        if (wqe.length() != Long.BYTES || !buffers.usable(wqe, true)) {
            return Framed.SINK_NOT_WRITABLE;
        }
        if (!openUntagged(list, state, RdmapOpcode.ATOMIC_REQUEST, state.readMsn, AtomicRequest.LENGTH)) {
            return Framed.NO_ROOM;
        }
        boolean add = wqe.opcode() == WorkOpcode.FETCH_AND_ADD;
        // RFC 7306 section 5.1.1 [note]: an add mask of zero adds all 64 bits; CmpSwap uses all bits of its masks.
        atomicRequest
                .wrap(framer.segment(), payloadOffset())
                .operationWord(0)
                .aOpCode(add ? AtomicOpcode.FETCH_ADD : AtomicOpcode.CMP_SWAP)
                .requestIdentifier(state.readMsn)
                .remoteStag(wqe.rkey())
                .remoteTo(wqe.remoteAddress())
                .addOrSwapData(add ? wqe.operand1() : wqe.operand2())
                .addOrSwapMask(add ? 0 : -1)
                .compareData(add ? 0 : wqe.operand1())
                .compareMask(-1);
        return added(framer.close(list, state.position), 0, true);
    }

    /** The RTR frame, with an address where it is a Write: a Send, Write or Read Request of length zero (RFC 6581 section 9). */
    Framed rtr(TransmitList list, TransmitState state, RtrKind kind, long writeTo) {
        return switch (kind) {
            case WRITE -> emptyWrite(list, state, writeTo);
            case READ -> readRequest(list, state, 0, SOME_STAG, 0);
            case SEND -> {
                if (!openUntagged(list, state, RdmapOpcode.SEND, state.sendMsn, 0)) {
                    yield Framed.NO_ROOM;
                }
                yield added(framer.close(list, state.position), 0, true);
            }
        };
    }

    /** A keep-alive probe: a Read of nothing, for which no key is looked at. */
    Framed probe(TransmitList list, TransmitState state) {
        return readRequest(list, state, 0, SOME_STAG, 0);
    }

    /** A Write of length zero: neither its key nor its address is looked at by anybody, but see {@link Parting}. */
    Framed emptyWrite(TransmitList list, TransmitState state, long to) {
        if (!framer.open(list, state.position, DdpTagged.LENGTH)) {
            return Framed.NO_ROOM;
        }
        tagged.wrap(framer.segment(), framer.offset())
                .control(RdmapOpcode.WRITE, true)
                .stag(SOME_STAG)
                .to(to);
        return added(framer.close(list, state.position), 0, true);
    }

    Framed terminate(TransmitList list, TransmitState state, TerminateNote note) {
        if (!openUntagged(list, state, RdmapOpcode.TERMINATE, DdpUntagged.FIRST_MSN, note.length())) {
            return Framed.NO_ROOM;
        }
        note.write(framer.segment(), payloadOffset());
        return added(framer.close(list, state.position), 0, true);
    }

    private boolean openUntagged(TransmitList list, TransmitState state, RdmapOpcode opcode, int msn, int count) {
        if (!framer.open(list, state.position, DdpUntagged.LENGTH + count)) {
            return false;
        }
        untagged.wrap(framer.segment(), framer.offset())
                .control(opcode, true)
                .invalidateStag(0)
                .qn(opcode.qn())
                .msn(msn)
                .mo(0);
        return true;
    }

    private int payloadOffset() {
        return framer.offset() + DdpUntagged.LENGTH;
    }

    private Framed added(int newWireLength, int newPayload, boolean isLast) {
        wireLength = newWireLength;
        payload = newPayload;
        last = isLast;
        return Framed.DONE;
    }
}
