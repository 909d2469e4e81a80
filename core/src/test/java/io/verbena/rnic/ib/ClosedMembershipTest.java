package io.verbena.rnic.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.ib.unreliable.RawSteering;
import io.verbena.rnic.SoftQueuePair;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TransportService;
import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Groups and rules of a queue pair that is closed between the call and its step on the engine of the port. */
class ClosedMembershipTest {

    private static final InetAddress GROUP = InetAddress.ofLiteral("239.1.2.3");

    private final Rnic rnic = Rnic.open(RnicOptions.defaults().withProvider("roce"));

    @AfterEach
    void close() {
        rnic.close();
    }

    private InfinibandQueuePair closedQueuePair(TransportService service) {
        CompletionQueue cq = rnic.createCompletionQueue(16);
        ProtectionDomain domain = rnic.allocateProtectionDomain();
        SoftQueuePair queuePair =
                (SoftQueuePair) domain.createQueuePair(QueuePairOptions.of(cq).withService(service));
        queuePair.close();
        return InfinibandQueuePair.of(queuePair);
    }

    /** What a step throws on the engine of the port. */
    private static Exception onEngine(InfinibandPort port, GroupMembership.Step step) {
        CompletableFuture<Exception> outcome = new CompletableFuture<>();
        port.submit(() -> outcome.complete(assertThrows(Exception.class, step::run)));
        return outcome.orTimeout(20, TimeUnit.SECONDS).join();
    }

    @Test
    void closed_groupIsNotJoined() {
        InfinibandQueuePair closed = closedQueuePair(TransportService.UNRELIABLE_DATAGRAM);
        Exception refusal = onEngine(closed.port(), () -> new GroupMembership(closed).join(GROUP));
        assertEquals("the queue pair is closed", refusal.getMessage());
    }

    @Test
    void closed_ruleIsNotAdded() {
        InfinibandQueuePair closed = closedQueuePair(TransportService.RAW_DATAGRAM);
        Exception refusal =
                onEngine(closed.port(), () -> new FrameSteering(closed).attach(RawSteering.any(17, closed)));
        assertEquals("the queue pair is closed", refusal.getMessage());
    }
}
