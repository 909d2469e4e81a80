package io.verbena.iwarp;

import io.verbena.base.TransmitList;
import io.verbena.iwarp.frame.FpduFramer;
import io.verbena.iwarp.frame.FramingResult;
import io.verbena.memory.CopyResult;
import io.verbena.memory.Verdict;
import io.verbena.verbs.AccessRight;
import io.verbena.wire.AtomicResponse;
import io.verbena.wire.DdpTagged;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.RdmapOpcode;
import io.verbena.work.Grant;
import io.verbena.work.LocalBuffers;
import java.nio.ByteBuffer;

/** Builds the FPDUs that answer the peer's Reads and atomics. Its use is the same as that of {@link RequestFrames}. */
final class AnswerFrames {

    private final StreamSettings settings;
    private final FpduFramer framer;
    private final StreamContext context;
    private final LocalBuffers buffers;
    private final InboundReads inbound;
    private final Grant grant = new Grant();
    private final DdpTagged tagged = new DdpTagged();
    private final DdpUntagged untagged = new DdpUntagged();
    private final AtomicResponse atomicResponse = new AtomicResponse();

    private int wireLength;
    private int payload;
    private boolean last;
    private Verdict verdict = Verdict.OK;

    AnswerFrames(StreamContext context, FpduFramer framer) {
        this.context = context;
        this.framer = framer;
        settings = context.settings();
        buffers = context.buffers();
        inbound = context.inbound();
    }

    int wireLength() {
        return wireLength;
    }

    int payload() {
        return payload;
    }

    boolean last() {
        return last;
    }

    /** The reason why the last answer was {@link FramingResult#REFUSED}. */
    Verdict verdict() {
        return verdict;
    }

    /** Adds the next FPDU of the answer in progress. */
    FramingResult next(TransmitList list, TransmitState state) {
        return inbound.atomic(state.answer) ? atomicResponse(list, state) : readResponse(list, state);
    }

    private FramingResult atomicResponse(TransmitList list, TransmitState state) {
        if (!framer.open(list, state.position, DdpUntagged.LENGTH + AtomicResponse.LENGTH)) {
            return FramingResult.NO_SPACE;
        }
        untagged.wrap(framer.segment(), framer.offset())
                .control(RdmapOpcode.ATOMIC_RESPONSE, true)
                .invalidateStag(0)
                .qn(RdmapOpcode.ATOMIC_RESPONSE.qn())
                .msn(state.atomicMsn)
                .mo(0);
        atomicResponse
                .wrap(framer.segment(), framer.offset() + DdpUntagged.LENGTH)
                .originalRequestIdentifier(inbound.requestIdentifier(state.answer))
                .originalRemoteDataValue(inbound.original(state.answer));
        return added(framer.close(list, state.position), 0, true);
    }

    private FramingResult readResponse(TransmitList list, TransmitState state) {
        long left = inbound.length(state.answer) - state.answerOffset;
        int count = (int) Math.min(left, settings.maxPayloadBytes());
        boolean isLast = count == left;
        if (count > 0) {
            // The key is checked again for each segment, because it may have been revoked since the request arrived.
            verdict = context.access()
                    .check(
                            inbound.sourceStag(state.answer),
                            context.oneShot().read(state.answer),
                            inbound.sourceTo(state.answer) + state.answerOffset,
                            count,
                            AccessRight.REMOTE_READ,
                            grant);
            if (!verdict.ok()) {
                return verdict == Verdict.NOT_NOW ? FramingResult.NOT_NOW : FramingResult.REFUSED;
            }
        }
        if (count >= RequestFrames.viewThreshold(list) && framer.mayUseViews()) {
            ByteBuffer view = buffers.view(grant, count);
            if (view.remaining() == count) {
                return aroundView(list, state, view, count, isLast);
            }
        }
        if (!framer.open(list, state.position, DdpTagged.LENGTH + count)) {
            return FramingResult.NO_SPACE;
        }
        header(state, isLast);
        if (count > 0) {
            CopyResult result = copyOut(list, count);
            if (result != CopyResult.DONE) {
                framer.cancel(list);
                verdict = Verdict.LOST;
                return result == CopyResult.NOT_NOW ? FramingResult.NOT_NOW : FramingResult.REFUSED;
            }
        }
        return added(framer.close(list, state.position), count, isLast);
    }

    private CopyResult copyOut(TransmitList list, int count) {
        int at = framer.offset() + DdpTagged.LENGTH;
        int done = 0;
        while (done < count) {
            int piece = framer.piece(count - done);
            CopyResult result = grant.region().copyOut(grant.offset() + done, framer.segment(), at + done, piece);
            if (result != CopyResult.DONE) {
                return result;
            }
            done += piece;
            framer.put(list, at + done);
        }
        return CopyResult.DONE;
    }

    private FramingResult aroundView(
            TransmitList list, TransmitState state, ByteBuffer view, int count, boolean isLast) {
        if (!framer.openAround(list, DdpTagged.LENGTH, count)) {
            return FramingResult.NO_SPACE;
        }
        header(state, isLast);
        int length = framer.closeAround(list, view, view.position(), buffers.viewAddress(), count);
        return added(length, count, isLast);
    }

    private void header(TransmitState state, boolean isLast) {
        tagged.wrap(framer.segment(), framer.offset())
                .control(RdmapOpcode.READ_RESPONSE, isLast)
                .stag(inbound.sinkStag(state.answer))
                .to(inbound.sinkTo(state.answer) + state.answerOffset);
    }

    private FramingResult added(int newWireLength, int newPayload, boolean isLast) {
        wireLength = newWireLength;
        payload = newPayload;
        last = isLast;
        return FramingResult.DONE;
    }
}
