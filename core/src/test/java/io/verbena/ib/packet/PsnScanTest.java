package io.verbena.ib.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.ib.Crafted;
import io.verbena.ib.RcPair;
import io.verbena.ib.endpoint.PsnGuard;
import io.verbena.memory.Region;
import io.verbena.verbs.AsyncEventType;
import io.verbena.wire.ib.IbOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * A sender with the address of the peer guesses PSNs (ReDMArk, attacks A1 and A2): counted, reported, rarely answered.
 */
class PsnScanTest {

    private static final int ACK_WITHOUT_CREDITS = 31;
    private static final int SPACE = 1 << 24;

    private final RcPair pair = RcPair.plain();
    private final RcPair.End b = pair.b;

    private int answers() {
        b.transmit(pair.nowNs);
        int count = b.wire.size();
        b.wire.clear();
        return count;
    }

    @Test
    void scanOfRequests_isCountedAndReported_theConnectionContinues() {
        int step = 1 << 8;
        int packets = 0;
        int answered = 0;
        // Every 256th PSN, except that of the expected packet (100): 65,536 packets at 1.6 million per second.
        for (int psn = 50; psn < SPACE; psn += step) {
            b.receive(Crafted.request(IbOpcode.RC_WRITE_MIDDLE, psn, 1024), pair.nowNs);
            pair.nowNs += 625;
            packets++;
            answered += answers();
        }
        long implausible = b.engine.implausiblePackets();
        assertTrue(implausible > packets * 6 / 8 && implausible < packets, () -> "counted: " + implausible);
        assertEquals(List.of(AsyncEventType.PSN_SCAN), events(b));
        long plausible = packets - implausible;
        // 41 ms: a burst, then one answer per millisecond. Plausible duplicates are all acknowledged.
        assertTrue(answered <= PsnGuard.BURST + 42 + plausible, "answers: " + answered);
        Region from = pair.a.region(64);
        Region to = b.region(64);
        b.postReceive(7, to, 64);
        pair.a.send(1, from, 64);
        pair.run();
        assertEquals(List.of("1 SEND SUCCESS 64"), pair.a.completions());
        assertEquals(List.of("7 RECEIVE SUCCESS 64"), b.completions());
    }

    private static List<AsyncEventType> events(RcPair.End end) {
        List<AsyncEventType> all = new ArrayList<>();
        for (Optional<AsyncEventType> each = end.engine.pollEvent(); each.isPresent(); each = end.engine.pollEvent()) {
            all.add(each.get());
        }
        return all;
    }

    @Test
    void scanOfAcknowledgements_isCounted_completesNothing() {
        Region from = pair.a.region(64);
        pair.a.send(1, from, 64);
        pair.a.transmit(pair.nowNs);
        SplittableRandom random = new SplittableRandom(1);
        int sent = 0;
        while (sent < 1_000) {
            int psn = random.nextInt(SPACE);
            if (psn != 100) {
                pair.a.receive(Crafted.acknowledge(psn, ACK_WITHOUT_CREDITS, 1), pair.nowNs);
                sent++;
            }
        }
        assertTrue(pair.a.engine.implausiblePackets() > 900);
        assertEquals(List.of(), pair.a.completions());
        assertEquals(List.of(AsyncEventType.PSN_SCAN), events(pair.a), "reported once until 16 times as many arrive");
    }

    @Test
    void lossyConnection_honestPeer_isNeverCounted() {
        Region from = pair.a.region(64 * 1024);
        Region to = b.region(64 * 1024);
        SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < 30; i++) {
            pair.a.write(i, from, to, 60_000);
            pair.a.read(i, from, to, 60_000);
        }
        int done = 0;
        while (done < 60) {
            pair.a.transmit(pair.nowNs);
            pair.a.wire.removeIf(each -> random.nextInt(20) == 0);
            pair.deliver(pair.a, b);
            b.transmit(pair.nowNs);
            b.wire.removeIf(each -> random.nextInt(20) == 0);
            pair.deliver(b, pair.a);
            if (!pair.a.engine.hasTransmitWork(pair.nowNs)) {
                pair.nextDeadline();
            }
            done += pair.a.completions().size();
            assertTrue(pair.a.engine.failure().isEmpty());
        }
        assertEquals(0, pair.a.engine.implausiblePackets() + b.engine.implausiblePackets());
    }
}
