package io.verbena.iwarp;

import static io.verbena.iwarp.MessageRun.U32;
import static io.verbena.iwarp.MessageRun.U64;

import io.verbena.base.TransmitList;
import io.verbena.iwarp.frame.FrameKind;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.Wqe;
import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.DdpTagged;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.FpduHeader;
import io.verbena.work.LocalBuffers;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Frames short Sends and Writes of the queue, one after the other, where nothing else is due, with the headers that
 * {@link MessageRun} draws: the same bytes and as many units of a list as {@link RequestFrames} makes of each of
 * them, without what other work needs. For streams without checksums and markers.
 */
final class SendRun {

    /** Longer payload is not worth it. */
    private static final int MOST_BYTES = 1024;

    private final WorkQueue work;
    private final LocalBuffers buffers;
    private final Optional<SurvivingWork> surviving;
    private final int mostBytes;

    SendRun(StreamContext context) {
        work = context.queuePair().queues().send();
        buffers = context.buffers();
        surviving = context.surviving();
        mostBytes = Math.min(MOST_BYTES, context.settings().maxPayloadBytes());
    }

    /**
     * Adds messages to a list whose state is at the boundary of a message.
     *
     * @param wqe a flyweight, which is used
     * @param byteBudget bytes of the list at which to stop
     */
    void fill(TransmitList list, TransmitState state, Wqe wqe, int byteBudget) {
        long end = work.posted();
        if (surviving.isPresent() && !surviving.get().untouched(state.send)) {
            return;
        }
        while (state.send < end && list.bytes() < byteBudget) {
            work.at(state.send, wqe);
            WorkOpcode opcode = wqe.opcode();
            boolean write = opcode == WorkOpcode.WRITE;
            int count = wqe.length();
            if (!write && opcode != WorkOpcode.SEND
                    || count > mostBytes
                    || count == 0 && surviving.isPresent()
                    || wqe.fenced() && state.readsOutstanding > 0
                    || !frame(list, state, wqe, write, count)) {
                return;
            }
        }
    }

    private boolean frame(TransmitList list, TransmitState state, Wqe wqe, boolean write, int count) {
        int headers = write ? DdpTagged.LENGTH : DdpUntagged.LENGTH;
        int length = FpduHeader.fpduLength(headers + count);
        int at = list.reserve(length);
        if (at == TransmitList.FULL) {
            return false;
        }
        MemorySegment out = list.slab().segment();
        out.set(U64, at + length - Long.BYTES, 0); // pad and CRC field, and bytes that follow now
        int payload = at + FpduHeader.LENGTH + headers;
        if (write) {
            out.set(U32, at, headers + count << Short.SIZE | MessageRun.WRITE);
            out.set(U32, at + MessageRun.KEY, wqe.rkey());
            out.set(U64, at + MessageRun.SECOND, wqe.remoteAddress());
        } else {
            int controls = wqe.solicited() ? MessageRun.SEND_SE : MessageRun.SEND;
            out.set(U32, at, headers + count << Short.SIZE | controls);
            out.set(
                    U32,
                    at + MessageRun.KEY,
                    surviving.isPresent() ? surviving.get().hint() : 0);
            out.set(U64, at + MessageRun.SECOND, Integer.toUnsignedLong(state.sendMsn)); // queue 0
            out.set(U32, at + MessageRun.OFFSET, 0);
        }
        if (buffers.gather(wqe, 0, out, payload, count) != Moved.DONE) {
            list.unreserve(length);
            return false;
        }
        list.endUnit((write ? FrameKind.WHOLE_WRITE : FrameKind.WHOLE_SEND).tag(count, true));
        state.position += length;
        state.farewellLast = false;
        state.advanceWhole(!write);
        return true;
    }
}
