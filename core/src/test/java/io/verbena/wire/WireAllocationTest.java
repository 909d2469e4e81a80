package io.verbena.wire;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

class WireAllocationTest {
    private static final int ROUNDS = 20_000;

    private final MpaStartFrame start = new MpaStartFrame();
    private final FpduHeader fpdu = new FpduHeader();
    private final Marker marker = new Marker();
    private final DdpTagged tagged = new DdpTagged();
    private final DdpUntagged untagged = new DdpUntagged();
    private final ReadRequest readRequest = new ReadRequest();
    private final Ulpdu ulpdu = new Ulpdu();
    private final Terminate terminate = new Terminate();
    private final TerminateReader terminateReader = new TerminateReader();
    private long sink;

    private void round(MemorySegment memory, int i) {
        start.wrap(memory, 0)
                .kind(MpaStartFrame.Kind.REQUEST)
                .flags(0)
                .c(true)
                .rev(2)
                .pdLength(i & 511);
        sink += MpaStartFrame.check(memory, 0, 600, MpaStartFrame.Kind.REQUEST).ordinal();
        fpdu.wrap(memory, 64).ulpduLength(i & 0xffff);
        marker.wrap(memory, 68).fpduptr(Marker.fpduptrAt(i, Marker.nextAt(i)));
        tagged.wrap(memory, 72).control(RdmapOpcode.WRITE, true).stag(i).to(i);
        sink += ulpdu.decode(memory, 72, 30).ordinal() + ulpdu.to();
        untagged.wrap(memory, 72)
                .control(RdmapOpcode.READ_REQUEST, true)
                .invalidateStag(0)
                .qn(1)
                .msn(i)
                .mo(0);
        readRequest
                .wrap(memory, 90)
                .sinkStag(i)
                .sinkTo(i)
                .rdmardsz(i)
                .srcStag(i)
                .srcTo(i);
        sink += ulpdu.decode(memory, 72, 46).ordinal() + ulpdu.msn();
        terminate.wrap(memory, 128).code(TerminateCode.MPA_CRC).m(true).ddpSegmentLength(i & 0xff);
        sink += terminateReader.read(memory, 128, 52).ordinal() + fpdu.ulpduLength() + marker.fpduptr();
    }

    @Test
    void warmedUp_headersReadAndWritten_makeNoObjects() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(1024);
            long least = Long.MAX_VALUE;
            for (int attempt = 0; attempt < 5; attempt++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < ROUNDS; i++) {
                    round(memory, i);
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            long bytes = least;
            assertTrue(bytes < ROUNDS, () -> bytes + " bytes in " + ROUNDS + " rounds, " + sink);
        }
    }
}
