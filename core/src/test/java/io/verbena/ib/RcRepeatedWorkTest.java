package io.verbena.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.ib.Syndrome;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Work that sends no packet, between requests that are sent again. An acknowledgment completes it while the requester is before it,
 * and the slots of what is complete may not exist any more: a send queue that has grown drops its first part.
 */
class RcRepeatedWorkTest {

    private static final int FIRST_PSN = 100;

    private final RcPair.End a = RcPair.plain().a;
    private final Region memory = a.region(8);

    private void transmit(int packets, long nowNs) {
        for (int i = 0; i < packets; i++) {
            a.list.reset(64, 65_507);
            a.engine.fillTransmit(a.builder, 1, nowNs);
        }
    }

    /** The first part of the queue has four slots; the last of them, or the one before, are delays. */
    @ParameterizedTest
    @CsvSource({"3, 1", "2, 2", "1, 3"})
    void repeatedRequests_acknowledgedUpToWorkWithoutAPacket_goOnAfterIt(int requests, int delays) {
        for (int id = 0; id < requests; id++) {
            a.write(id, memory, 0, 0, 8);
        }
        for (int id = 0; id < delays; id++) {
            a.post(WorkOpcode.DELAY, WrFlags.SIGNALLED, w -> w.wrId(50).operand1(0));
        }
        a.write(90, memory, 0, 0, 8);
        a.transmit(5);
        a.wire.clear();
        long laterNs = 5 + 2 * RcPair.TIMEOUT_NS;
        a.engine.onDeadline(laterNs);
        transmit(requests, laterNs);
        a.receive(Crafted.acknowledge(FIRST_PSN + requests - 1, Syndrome.ACK_WITHOUT_CREDITS, requests), laterNs);
        a.transmit(laterNs);
        assertEquals(
                List.of("WRITE_ONLY psn=" + (FIRST_PSN + requests)),
                a.wireText().stream()
                        .map(line -> line.replaceAll("RC_|( psn=\\d+).*", "$1"))
                        .toList());
    }
}
