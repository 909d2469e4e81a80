package io.verbena.iwarp;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.verbena.base.Slab;
import io.verbena.queue.Wqe;
import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.DdpTagged;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.FpduHeader;
import io.verbena.wire.RdmapOpcode;
import io.verbena.work.LocalBuffers;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Builds the only FPDU of a short Send or Write within the call that posts it, where the bytes are those that {@link RequestFrames} would add
 * to a list, or those of a {@link ShortMessage} in its place. For streams without checksums and markers.
 */
final class ShortFrames {

    /** The operations, a bit for each. */
    static final int OPERATIONS = 1 << WorkOpcode.SEND.ordinal() | 1 << WorkOpcode.WRITE.ordinal();

    /** The longest payload: a longer one costs more to copy than the way through the queue. */
    private static final int MOST_BYTES = 256;

    private final FramePath path;
    private final LocalBuffers buffers;
    private final int mostBytes;
    private Slab slab = Slab.NONE;
    private @Nullable ShortMessage shortMessage;
    private final FpduHeader header = new FpduHeader();
    private final DdpTagged tagged = new DdpTagged();
    private final DdpUntagged untagged = new DdpUntagged();

    ShortFrames(FramePath path, StreamContext context) {
        this.path = path;
        buffers = context.buffers();
        mostBytes = Math.min(MOST_BYTES, context.settings().maxPayloadBytes());
    }

    /** Sends a message. Returns the length of its FPDU on the wire; 0 if nothing has happened. */
    int send(Wqe wqe, TransmitState state) {
        boolean write = wqe.opcode() == WorkOpcode.WRITE;
        int count = wqe.length();
        if (!write && wqe.opcode() != WorkOpcode.SEND || count > mostBytes) {
            return 0;
        }
        int headerLength = write ? DdpTagged.LENGTH : DdpUntagged.LENGTH;
        int length = FpduHeader.fpduLength(headerLength + count);
        if (count <= ShortMessage.MOST_PAYLOAD && count > 0 && path.shortens()) {
            return sendShort(wqe, write, count) ? length : 0;
        }
        if (slab == Slab.NONE) {
            slab = new Slab(FpduHeader.fpduLength(DdpUntagged.LENGTH + MOST_BYTES));
        }
        MemorySegment memory = slab.segment();
        memory.set(JAVA_LONG_UNALIGNED, length - Long.BYTES, 0L); // pad, CRC field, and bytes that follow now
        header.wrap(memory, 0).ulpduLength(headerLength + count);
        if (write) {
            writeHeader(wqe, memory);
        } else {
            sendHeader(wqe, memory, state.sendMsn);
        }
        boolean built = buffers.gather(wqe, 0, memory, FpduHeader.LENGTH + headerLength, count) == Moved.DONE;
        return built && path.send(slab.range(0, length), length) ? length : 0;
    }

    private boolean sendShort(Wqe wqe, boolean write, int count) {
        ShortMessage message = shortMessage;
        if (message == null) {
            message = new ShortMessage();
            shortMessage = message;
        }
        if (write) {
            message.header(RdmapOpcode.WRITE, wqe.rkey(), wqe.remoteAddress());
        } else {
            message.header(wqe.solicited() ? RdmapOpcode.SEND_SE : RdmapOpcode.SEND, 0, 0);
        }
        int bytes = ShortMessage.HEADER + count;
        return buffers.gather(wqe, 0, message.memory(), ShortMessage.HEADER, count) == Moved.DONE
                && path.sendShort(message.slab().range(0, bytes), bytes);
    }

    private void writeHeader(Wqe wqe, MemorySegment memory) {
        tagged.wrap(memory, FpduHeader.LENGTH)
                .control(RdmapOpcode.WRITE, true)
                .stag(wqe.rkey())
                .to(wqe.remoteAddress());
    }

    private void sendHeader(Wqe wqe, MemorySegment memory, int msn) {
        RdmapOpcode opcode = wqe.solicited() ? RdmapOpcode.SEND_SE : RdmapOpcode.SEND;
        untagged.wrap(memory, FpduHeader.LENGTH)
                .control(opcode, true)
                .invalidateStag(0)
                .qn(opcode.qn())
                .msn(msn)
                .mo(0);
    }
}
