package io.verbena.tools.holes;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.verbena.base.RandomSource;
import io.verbena.base.Slab;
import io.verbena.base.TransmitList;
import io.verbena.iwarp.IwarpStream;
import io.verbena.iwarp.StreamSettings;
import io.verbena.memory.OffHeapMemory;
import io.verbena.memory.Region;
import io.verbena.memory.RegionTable;
import io.verbena.port.SegmentStream;
import io.verbena.queue.CompletionRing;
import io.verbena.queue.Cqe;
import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.WorkQueues;
import io.verbena.queue.Wqe;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.FpduHeader;
import io.verbena.work.QueuePairContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** One end of the stream: its queues, its memory, and its half of the protocol. */
final class HoleEnd {

    private static final int DEPTH = 256;
    private static final int READS = 16;
    private static final int DOMAIN = 1;
    private static final int TRANSMIT_BYTES = 64 * 1024;
    private static final Set<AccessRight> ALL =
            Set.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE);

    final IwarpStream stream;
    final Region memory;
    final CompletionRing ring = new CompletionRing(4 * DEPTH);
    final Cqe cqe = new Cqe();
    private final WorkQueue send;
    private final WorkQueue receive;
    private final TransmitList list = new TransmitList(2 * TRANSMIT_BYTES);
    private final Wqe wqe = new Wqe();

    HoleEnd(boolean initiator, long memoryBytes, int segmentBytes, FrameStarts starts, RandomSource random) {
        RegionTable regions = new RegionTable(random);
        int stride = Wqe.strideBytes(1, 0);
        send = new WorkQueue(DEPTH, stride);
        receive = new WorkQueue(DEPTH, stride);
        int number = initiator ? 1 : 2;
        WorkQueues queues = new WorkQueues(number, false, send, new ReceiveQueue(receive), ring, ring);
        memory = regions.register(new OffHeapMemory().allocate(memoryBytes), DOMAIN, ALL);
        boolean markers = starts == FrameStarts.MARKERS;
        StreamSettings settings = new StreamSettings(
                        initiator,
                        true,
                        markers,
                        markers,
                        READS,
                        READS,
                        Optional.empty(),
                        payloadOf(segmentBytes, markers))
                .withGuesses(starts == FrameStarts.GUESSES);
        stream = new IwarpStream(settings, new QueuePairContext(queues, regions, DOMAIN, 0), random);
    }

    /** The largest payload whose FPDU fits in a segment. */
    private static int payloadOf(int segmentBytes, boolean markers) {
        return FpduHeader.mulpdu(segmentBytes, markers) - DdpUntagged.LENGTH;
    }

    /** Posts to the send queue. Returns false if it is full. */
    boolean post(WorkOpcode opcode, Consumer<Wqe> details) {
        return post(send, opcode, details);
    }

    boolean postReceive(long id, long offset, int length) {
        return post(receive, WorkOpcode.RECEIVE, w -> w.wrId(id).addElement(memory.localKey(), offset, length));
    }

    private boolean post(WorkQueue queue, WorkOpcode opcode, Consumer<Wqe> details) {
        if (!queue.claim(wqe)) {
            return false;
        }
        details.accept(wqe.clear(opcode, WrFlags.SIGNALLED));
        queue.written();
        queue.publish();
        return true;
    }

    /** Takes what the stream sends now: one array for each FPDU. */
    List<byte[]> transmit(long nowNs) {
        List<byte[]> units = new ArrayList<>();
        if (stream.hasTransmitWork(nowNs)) {
            list.reset();
            stream.fillTransmit(list, TRANSMIT_BYTES, nowNs);
            int from = 0;
            for (int unit = 0; unit < list.units(); unit++) {
                int to = list.unitEnd(unit);
                Slab copy = new Slab(to - from);
                list.copyOut(from, to, copy, 0);
                units.add(copy.segment().toArray(JAVA_BYTE));
                from = to;
            }
            stream.onTransmitted(list, list.units(), false, nowNs);
        }
        return units;
    }

    /** Writes what the stream sends now, as far as the TCP takes it; returns whether it has taken anything. */
    boolean transmit(SegmentStream to, long nowNs) throws IOException {
        if (!stream.hasTransmitWork(nowNs)) {
            return false;
        }
        list.reset();
        stream.fillTransmit(list, TRANSMIT_BYTES, nowNs);
        int bytes = to.write(list);
        int units = 0;
        while (units < list.units() && list.unitEnd(units) <= bytes) {
            units++;
        }
        stream.onTransmitted(list, units, false, nowNs);
        return units > 0;
    }
}
