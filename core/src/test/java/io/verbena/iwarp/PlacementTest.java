package io.verbena.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.memory.OffHeapMemory;
import io.verbena.memory.Region;
import io.verbena.memory.RegionTable;
import io.verbena.queue.CompletionRing;
import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.WorkQueues;
import io.verbena.queue.Wqe;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.DdpTagged;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.Ulpdu;
import io.verbena.wire.UlpduOutcome;
import io.verbena.work.Moved;
import io.verbena.work.QueuePairContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The destination of the payload of early segments. */
class PlacementTest {

    private static final int SINK_STAG = 0x1234;
    private static final int PAYLOAD = 10;
    private static final int STRIDE = Wqe.strideBytes(4, 64);

    private final RegionTable regions = new RegionTable(new SplittableRandom(5)::nextLong);
    private final Region region = regions.register(new OffHeapMemory().allocate(4096), 1, StreamPair.ALL);
    private final WorkQueue work = new WorkQueue(8, STRIDE);
    private final WorkQueue receives = new WorkQueue(64, STRIDE);
    private OutstandingReads outstanding = new OutstandingReads(4);
    private final Ulpdu ulpdu = new Ulpdu();
    private final MemorySegment bytes = MemorySegment.ofArray(new byte[100]);
    private Placement placement = over(new ReceiveQueue(receives));

    private Placement over(ReceiveQueue queue) {
        CompletionRing ring = new CompletionRing(8);
        WorkQueues queues = new WorkQueues(1, false, work, queue, ring, ring);
        StreamSettings settings = new StreamSettings(false, true, false, false, 4, 4, Optional.empty(), 1024);
        StreamContext context =
                StreamContext.of(settings, new QueuePairContext(queues, regions, 1, 0), SINK_STAG, Optional.empty());
        outstanding = context.outstanding();
        return new Placement(context);
    }

    private void post(WorkQueue queue, WorkOpcode opcode, long offset, int length) {
        Wqe wqe = new Wqe();
        assertTrue(queue.claim(wqe));
        wqe.clear(opcode, WrFlags.SIGNALLED).addElement(region.localKey(), offset, length);
        queue.written();
        queue.publish();
    }

    private Moved send(int msn, long mo, int sendMsn, boolean rtrToCome) {
        bytes.asSlice(DdpUntagged.LENGTH).fill((byte) 7);
        new DdpUntagged()
                .wrap(bytes, 0)
                .control(RdmapOpcode.SEND, false)
                .invalidateStag(0)
                .qn(0)
                .msn(msn)
                .mo(mo);
        assertEquals(UlpduOutcome.OK, ulpdu.decode(bytes, 0, DdpUntagged.LENGTH + PAYLOAD));
        return placement.placeEarly(ulpdu, bytes, sendMsn, rtrToCome);
    }

    private Moved answer(int stag, long to) {
        bytes.asSlice(DdpTagged.LENGTH).fill((byte) 7);
        new DdpTagged()
                .wrap(bytes, 0)
                .control(RdmapOpcode.READ_RESPONSE, false)
                .stag(stag)
                .to(to);
        assertEquals(UlpduOutcome.OK, ulpdu.decode(bytes, 0, DdpTagged.LENGTH + PAYLOAD));
        return placement.placeEarly(ulpdu, bytes, 1, false);
    }

    private int sevensFrom(long offset) {
        int count = 0;
        while (region.segment().get(ValueLayout.JAVA_BYTE, offset + count) == 7) {
            count++;
        }
        return count;
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 0",
        "3, 1, 2",
        "-1, -1, 0",
        "0, -1, 1",
        "1, -1, 2",
        "2147483647, 2147483647, 0",
        "-2147483648, 2147483647, 1"
    })
    void earlySend_numbersThatWrap_findItsReceive(int msn, int sendMsn, int index) {
        for (int i = 0; i < 3; i++) {
            post(receives, WorkOpcode.RECEIVE, i * 100L, 50);
        }
        assertEquals(Moved.DONE, send(msn, 20, sendMsn, false));
        assertEquals(PAYLOAD, sevensFrom(index * 100L + 20));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1, 0",
        "-1, 1, 0",
        "2, 1, 0",
        "-2147483648, 1, 0",
        "1, 1, 41",
        "1, 1, 4294967295",
        "1, 1, 2147483647"
    })
    void earlySend_behindOrBeyondOrTooLong_isRefused(int msn, int sendMsn, long mo) {
        post(receives, WorkOpcode.RECEIVE, 0, 50);
        assertEquals(Moved.REFUSED, send(msn, mo, sendMsn, false));
        assertEquals(0, sevensFrom(0));
    }

    @Test
    void earlySend_whileAnRtrFrameMayCome_isRefused() {
        post(receives, WorkOpcode.RECEIVE, 0, 50);
        post(receives, WorkOpcode.RECEIVE, 100, 50);
        assertEquals(Moved.REFUSED, send(2, 0, 1, true));
    }

    @Test
    void earlySend_farAhead_doesNotDrainTheSharedQueue() {
        WorkQueue shared = new WorkQueue(64, STRIDE);
        for (int i = 0; i < 40; i++) {
            post(shared, WorkOpcode.RECEIVE, i * 100L, 50);
        }
        placement = over(new ReceiveQueue(receives, shared));
        assertEquals(Moved.REFUSED, send(30, 0, 1, false));
        assertEquals(0, shared.retired());
        assertEquals(Moved.DONE, send(3, 0, 1, false));
        assertEquals(3, shared.retired());
        assertEquals(PAYLOAD, sevensFrom(200));
    }

    @Test
    void earlyReadResponse_goesToTheReadItNames_andNowhereElse() {
        post(work, WorkOpcode.READ, 0, 50);
        post(work, WorkOpcode.COMPARE_AND_SWAP, 60, 8);
        post(work, WorkOpcode.READ, 100, 50);
        outstanding.add(0, -1, false);
        outstanding.add(1, 0, true);
        outstanding.add(2, 1, false);
        assertEquals(Moved.DONE, answer(SINK_STAG, RequestFrames.sinkTo(1) + 40));
        assertEquals(PAYLOAD, sevensFrom(140));
        assertEquals(Moved.DONE, answer(SINK_STAG, RequestFrames.sinkTo(-1)));
        assertEquals(PAYLOAD, sevensFrom(0));
        assertEquals(Moved.REFUSED, answer(SINK_STAG, RequestFrames.sinkTo(1) + 41), "too long");
        assertEquals(Moved.REFUSED, answer(SINK_STAG, RequestFrames.sinkTo(1) + 0xffff_ffffL), "far past the end");
        assertEquals(Moved.REFUSED, answer(SINK_STAG, RequestFrames.sinkTo(0)), "not a Read");
        assertEquals(Moved.REFUSED, answer(SINK_STAG, RequestFrames.sinkTo(2)), "not asked for");
        assertEquals(Moved.REFUSED, answer(SINK_STAG + 1, RequestFrames.sinkTo(1)), "not the sink's key");
        outstanding.done(0);
        assertEquals(Moved.REFUSED, answer(SINK_STAG, RequestFrames.sinkTo(-1)), "complete already");
    }

    @Test
    void rights_areThoseOfTheRegion() {
        Region readOnly = regions.register(new OffHeapMemory().allocate(100), 1, Set.of());
        new DdpTagged()
                .wrap(bytes, 0)
                .control(RdmapOpcode.WRITE, true)
                .stag(readOnly.rkey())
                .to(readOnly.baseAddress());
        assertEquals(UlpduOutcome.OK, ulpdu.decode(bytes, 0, DdpTagged.LENGTH + PAYLOAD));
        assertEquals(Moved.REFUSED, placement.placeEarly(ulpdu, bytes, 1, false));
    }
}
