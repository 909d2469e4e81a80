package io.verbena.iwarp;

import io.verbena.base.TransmitList;
import io.verbena.iwarp.frame.FpduFramer;
import io.verbena.iwarp.frame.FramingResult;
import io.verbena.iwarp.frame.TerminateBuilder;
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
import java.util.Optional;

/**
 * Builds the FPDUs of this side's messages. Each method adds one FPDU to the list and does not change the given state; {@link
 * #wireLength}, {@link #payload} and {@link #last} describe the FPDU that was added.
 */
final class RequestFrames {

    /**
     * Payload of at least this size is sent from user memory if there is no checksum (a checksum is only computed over a copy,
     * which the application cannot change). For smaller payload one copy, and one system call for many frames, cost less than
     * three calls per frame.
     */
    private static final int VIEW_THRESHOLD = 48 * 1024;

    /** The same where one system call sends all pieces: an additional piece costs about as much as copying this many bytes. */
    private static final int GATHER_THRESHOLD = 4 * 1024;

    /** The STag of accesses of length zero, which is not checked. */
    static final int ANY_STAG = 1;

    private final StreamSettings settings;
    private final FpduFramer framer;
    private final LocalBuffers buffers;
    private final int readSinkStag;

    /** Whether the peer counts requests, and must not take one for a frame of the protocol. */
    private final boolean counted;

    private final Optional<SurvivingWork> surviving;

    private final DdpTagged tagged = new DdpTagged();
    private final DdpUntagged untagged = new DdpUntagged();
    private final ReadRequest readRequest = new ReadRequest();
    private final AtomicRequest atomicRequest = new AtomicRequest();
    private final ImmediateData immediateData = new ImmediateData();

    private int wireLength;
    private int payload;
    private boolean last;

    RequestFrames(StreamContext context, FpduFramer framer) {
        this.framer = framer;
        settings = context.settings();
        buffers = context.buffers();
        readSinkStag = context.readSinkStag();
        surviving = context.surviving();
        counted = surviving.isPresent();
    }

    /** Payload of at least this size may be sent from user memory. */
    static int viewThreshold(TransmitList list) {
        return list.gathered() ? GATHER_THRESHOLD : VIEW_THRESHOLD;
    }

    /** Length on the wire, in bytes, of the FPDU that was added last. */
    int wireLength() {
        return wireLength;
    }

    /** Payload bytes in it. */
    int payload() {
        return payload;
    }

    /** Whether its message ends with it. */
    boolean last() {
        return last;
    }

    /** Adds the next FPDU of the work in progress. */
    FramingResult work(TransmitList list, TransmitState state, Wqe wqe) {
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
                throw new AssertionError("work without a frame: " + wqe.opcode());
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
    private FramingResult data(TransmitList list, TransmitState state, Wqe wqe, RdmapOpcode opcode) {
        int left = wqe.length() - (int) state.offset;
        int count = Math.min(left, settings.maxPayloadBytes());
        boolean isLast = count == left;
        int headerLength = opcode.headerLength();
        if (count >= viewThreshold(list) && framer.mayUseViews()) {
            ByteBuffer view = buffers.view(wqe, state.offset, count, false);
            if (view.remaining() == count) {
                if (!framer.openAround(list, headerLength, count)) {
                    return FramingResult.NO_SPACE;
                }
                int viewOffset = view.position();
                dataHeader(state, wqe, opcode, isLast);
                int length = framer.closeAroundLendable(list, view, viewOffset, buffers.viewAddress(), count);
                return added(length, count, isLast);
            }
        }
        if (!framer.open(list, state.position, headerLength + count)) {
            return FramingResult.NO_SPACE;
        }
        dataHeader(state, wqe, opcode, isLast);
        Moved moved = gather(list, state, wqe, headerLength, count);
        if (moved != Moved.DONE) {
            framer.cancel(list);
            return FramingResult.of(moved);
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
                    .stag(writeStag(wqe))
                    .to(wqe.remoteAddress() + state.offset);
        } else {
            untagged.wrap(framer.segment(), framer.offset())
                    .control(opcode, isLast)
                    .invalidateStag(opcode.invalidates() ? wqe.rkey() : hint())
                    .qn(opcode.qn())
                    .msn(state.sendMsn)
                    .mo(state.offset);
        }
    }

    /**
     * The field of a Send for the STag to invalidate is ignored in other Sends (RFC 5040 section 4.1 [11, 12]). The
     * sides of a surviving connection agree to state there what was executed.
     */
    private int hint() {
        return counted ? surviving.orElseThrow().hint() : 0;
    }

    /** Whether the last frame of a message states what was executed. */
    static boolean hints(Wqe wqe, boolean half) {
        return !half
                && switch (wqe.opcode()) {
                    case SEND, SEND_WITH_IMMEDIATE, WRITE_WITH_IMMEDIATE -> true;
                    default -> false;
                };
    }

    /**
     * The STag of a Write. A Write of length zero may name any, which is not checked; with {@link #ANY_STAG} it would look like a Write of the
     * set-up, to which immediate data do not belong.
     */
    private int writeStag(Wqe wqe) {
        boolean meant = counted || wqe.opcode() == WorkOpcode.WRITE_WITH_IMMEDIATE;
        return meant ? unambiguous(wqe) : wqe.rkey();
    }

    private static int unambiguous(Wqe wqe) {
        return wqe.length() == 0 && wqe.rkey() == ANY_STAG ? ANY_STAG + 1 : wqe.rkey();
    }

    private FramingResult immediate(TransmitList list, TransmitState state, Wqe wqe) {
        RdmapOpcode opcode = wqe.solicited() ? RdmapOpcode.IMMEDIATE_SE : RdmapOpcode.IMMEDIATE;
        if (!openUntagged(list, state, opcode, state.sendMsn, ImmediateData.LENGTH)) {
            return FramingResult.NO_SPACE;
        }
        untagged.invalidateStag(hint());
        immediateData.wrap(framer.segment(), payloadOffset()).immediateData(wqe.operand1());
        return added(framer.close(list, state.position), 0, true);
    }

    private FramingResult readRequest(TransmitList list, TransmitState state, Wqe wqe) {
        if (settings.outboundReads() == 0) {
            return FramingResult.NO_READS_AGREED;
        }
        if (!buffers.usable(wqe, true)) {
            return FramingResult.SINK_NOT_WRITABLE;
        }
        int stag = counted ? unambiguous(wqe) : wqe.rkey();
        return readRequest(list, state, wqe.length(), stag, wqe.remoteAddress());
    }

    private FramingResult readRequest(TransmitList list, TransmitState state, int length, int stag, long to) {
        if (!openUntagged(list, state, RdmapOpcode.READ_REQUEST, state.readMsn, ReadRequest.LENGTH)) {
            return FramingResult.NO_SPACE;
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
     * The tagged offset that a Read Request names as its sink. The sink STag belongs to no region: only Read Responses are
     * looked up by it, and the upper half of the offset identifies the Read. A scatter list therefore needs one STag, and the
     * peer cannot write to any buffer of this side (RFC 5040 section 4.4 [note] leaves the choice of the sink STag to the
     * requester).
     */
    static long sinkTo(int readMsn) {
        return (long) readMsn << 32;
    }

    private FramingResult atomicRequest(TransmitList list, TransmitState state, Wqe wqe) {
        if (settings.outboundReads() == 0) {
            return FramingResult.NO_READS_AGREED;
        }
        if (wqe.length() != Long.BYTES || !buffers.usable(wqe, true)) {
            return FramingResult.SINK_NOT_WRITABLE;
        }
        if (!openUntagged(list, state, RdmapOpcode.ATOMIC_REQUEST, state.readMsn, AtomicRequest.LENGTH)) {
            return FramingResult.NO_SPACE;
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

    /** The RTR frame: a Send, Write (to the given address) or Read Request of length zero (RFC 6581 section 9). */
    FramingResult rtr(TransmitList list, TransmitState state, RtrKind kind, long writeTo) {
        return switch (kind) {
            case WRITE -> emptyWrite(list, state, writeTo);
            case READ -> readRequest(list, state, 0, ANY_STAG, 0);
            case SEND -> {
                if (!openUntagged(list, state, RdmapOpcode.SEND, state.sendMsn, 0)) {
                    yield FramingResult.NO_SPACE;
                }
                yield added(framer.close(list, state.position), 0, true);
            }
        };
    }

    /** A keep-alive probe: a Read of length zero, for which no key is checked. */
    FramingResult probe(TransmitList list, TransmitState state) {
        return readRequest(list, state, 0, ANY_STAG, 0);
    }

    /** A Write of length zero. No receiver checks its key or its address, but see {@link FarewellExchange}. */
    FramingResult emptyWrite(TransmitList list, TransmitState state, long to) {
        if (!framer.open(list, state.position, DdpTagged.LENGTH)) {
            return FramingResult.NO_SPACE;
        }
        tagged.wrap(framer.segment(), framer.offset())
                .control(RdmapOpcode.WRITE, true)
                .stag(ANY_STAG)
                .to(to);
        return added(framer.close(list, state.position), 0, true);
    }

    FramingResult terminate(TransmitList list, TransmitState state, TerminateBuilder terminate) {
        if (!openUntagged(list, state, RdmapOpcode.TERMINATE, DdpUntagged.FIRST_MSN, terminate.length())) {
            return FramingResult.NO_SPACE;
        }
        terminate.write(framer.segment(), payloadOffset());
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

    private FramingResult added(int newWireLength, int newPayload, boolean isLast) {
        wireLength = newWireLength;
        payload = newPayload;
        last = isLast;
        return FramingResult.DONE;
    }
}
