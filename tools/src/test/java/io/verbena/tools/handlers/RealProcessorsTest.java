package io.verbena.tools.handlers;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.host.system.Pinning;
import io.verbena.sim.handlers.Routing;
import io.verbena.tools.base.StopSignal;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RealProcessorsTest {

    /** As on a machine whose other cores are busy: the threads take turns only when the system switches. */
    @Test
    void lineNs_bothThreadsOnOneCore_ends() throws Exception {
        CompletableFuture<Double> measured = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                if (Pinning.unsupported().isEmpty()) {
                    BitSet one = new BitSet();
                    one.set(Pinning.cores().nextSetBit(0));
                    Pinning.pin(one); // the thread that it starts inherits this
                }
                measured.complete(EventCosts.lineNs(200_000_000));
            } catch (Throwable e) {
                measured.completeExceptionally(e);
            }
        });
        assertTrue(measured.get(Duration.ofMinutes(1).toSeconds(), TimeUnit.SECONDS) > 0);
    }

    /** As on a machine that is so busy that no processor runs in the time of the measurement. */
    @Test
    void eventsPerSecond_timeTooShortForAnEvent_isMeasuredUntilThereAreSome() throws Exception {
        RealProcessors real = new RealProcessors(List.of(), new StopSignal());
        for (Routing routing : Routing.values()) {
            double rate = real.eventsPerSecond(routing, 2, false, Duration.ofNanos(1));
            assertTrue(rate > 0 && Double.isFinite(rate), routing + ": " + rate);
        }
    }
}
