package io.verbena.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.ib.settings.SettingsBuilder;
import io.verbena.memory.Region;
import java.util.ArrayDeque;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The memory of a request is released before the peer has acknowledged it, so that the request cannot be sent again. */
class RcClosedMemoryTest {

    /** How lost packets are repeated. */
    enum Repeat {
        GO_BACK_N,
        SELECTIVE;

        RcPair pair() {
            return new RcPair(
                    settings(RcPair.A_QP, RcPair.B_QP, 100, 900), settings(RcPair.B_QP, RcPair.A_QP, 900, 100));
        }

        private RcSettings settings(int local, int remote, int sendPsn, int receivePsn) {
            SettingsBuilder builder = RcPair.builder(local, remote, sendPsn, receivePsn);
            return (this == SELECTIVE ? builder.options(RcOption.SELECTIVE_REPEAT) : builder).reliableConnection();
        }
    }

    private static final int LENGTH = 3000;

    @ParameterizedTest
    @EnumSource
    void acknowledgedAfterItsRetransmissionFailed_succeedsAndTheNextIsSent(Repeat repeat) {
        RcPair pair = repeat.pair();
        Region kept = pair.a.region(LENGTH);
        Region released = pair.a.region(LENGTH);
        Region to = pair.b.region(LENGTH);
        pair.a.write(1, kept, to, LENGTH);
        pair.a.write(2, released, to, LENGTH);
        pair.a.transmit(pair.nowNs);
        pair.deliver(pair.a, pair.b);
        pair.b.transmit(pair.nowNs);
        ArrayDeque<byte[]> late = new ArrayDeque<>(pair.b.wire);
        pair.b.wire.clear();
        pair.a.regions.deregister(released);
        pair.a.write(3, kept, to, LENGTH);
        assertTrue(pair.nextDeadline());
        pair.a.transmit(pair.nowNs);
        late.forEach(each -> pair.a.receive(each, pair.nowNs));
        pair.run();
        assertEquals(
                List.of("1 WRITE SUCCESS 3000", "2 WRITE SUCCESS 3000", "3 WRITE SUCCESS 3000"), pair.a.completions());
    }

    @ParameterizedTest
    @EnumSource
    void neverAcknowledged_failsWithTheStateOfItsMemory(Repeat repeat) {
        RcPair pair = repeat.pair();
        Region first = pair.a.region(LENGTH);
        Region to = pair.b.region(LENGTH);
        pair.a.write(1, first, to, LENGTH);
        pair.a.transmit(pair.nowNs);
        pair.a.wire.removeFirst();
        pair.a.regions.deregister(first);
        assertTrue(pair.nextDeadline());
        pair.a.transmit(pair.nowNs);
        assertTrue(pair.a.engine.failure().isPresent());
        assertTrue(pair.a.engine.flush());
        assertEquals(List.of("1 WRITE LOCAL_PROTECTION 3000"), pair.a.completions());
    }
}
