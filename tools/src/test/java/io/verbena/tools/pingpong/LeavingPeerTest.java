package io.verbena.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.base.CompletionWaiter;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.exchange.ExchangeSocket;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers of a ping-pong whose client leaves after its last message, as ibv_rc_pingpong does. */
class LeavingPeerTest {

    private static final RnicOptions ROCE = RnicOptions.defaults().withProvider("roce");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final StopSignal stop = new StopSignal();
    private final List<String> lines = new ArrayList<>();

    private static PingPongSettings settings(Rnic rnic, int iterations, boolean openEnd) throws Exception {
        try (Listener listener = rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            InetAddress local = ((InetSocketAddress) listener.localAddress()).getAddress();
            return new PingPongSettings(
                    PingPongService.RC,
                    new PingPongSettings.Messages(3_000, iterations, openEnd, false),
                    new PingPongSettings.Queues(8, 1, false),
                    new PingPongSettings.Path(1_024, 0, local),
                    PATIENCE);
        }
    }

    /** A client that has sent one message, and does not wait for the one of the server. */
    private void sendOne(ExchangeSocket socket) throws Exception {
        try (Rnic rnic = Rnic.open(ROCE)) {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            CompletionQueue cq = rnic.createCompletionQueue(16);
            PingPongSettings settings = settings(rnic, 1, false);
            MemoryRegion messages = domain.allocate(PingPongEnd.HEADER_BYTES + 3_000L, AccessRight.LOCAL_WRITE);
            PingPongEnd end = new PingPongEnd(
                    domain.createQueuePair(QueuePairOptions.of(cq).withElements(1, 1)), settings, messages);
            end.initialize();
            PingPongAddress own = new PingPongAddress(
                    0, end.queuePair().number(), 7, settings.path().localAddress());
            PingPongExchange exchange = new PingPongExchange(socket);
            exchange.sendAddresses(List.of(own), 1);
            end.connect(own, exchange.receiveAddresses(1).getFirst());
            exchange.sendDone();
            end.send();
            new CompletionWaiter(cq, PATIENCE, PATIENCE, stop).next("the acknowledgment");
        }
    }

    private PingPongFigures serve(int iterations, boolean openEnd) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Rnic rnic = Rnic.open(ROCE)) {
            PingPong server = new PingPong(rnic, settings(rnic, iterations, openEnd), stop, lines::add);
            FutureTask<PingPongFigures> serving = new FutureTask<>(() -> {
                try (ExchangeSocket socket = ExchangeSocket.accept(listener, PATIENCE, stop)) {
                    return server.run(socket);
                }
            });
            Thread.ofPlatform().daemon().start(serving);
            try (ExchangeSocket socket = ExchangeSocket.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort()), PATIENCE)) {
                sendOne(socket);
            }
            return serving.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void lastMessageIsNotAcknowledged_serverEndsAndSaysSo(boolean openEnd) throws Exception {
        assertEquals(1, serve(openEnd ? 1_000 : 1, openEnd).received());
        assertTrue(lines.getLast().contains("has left without an acknowledgment"), lines::toString);
    }

    @Test
    void messagesAreMissing_serverFails() {
        Exception failure = assertThrows(Exception.class, () -> serve(2, false));
        assertTrue(String.valueOf(failure.getMessage()).contains("did not answer in time"), failure::toString);
    }
}
