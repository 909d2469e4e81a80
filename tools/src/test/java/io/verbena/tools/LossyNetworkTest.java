package io.verbena.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.host.RoceProvider;
import io.verbena.port.faults.PacketFaults;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.exchange.ExchangeSocket;
import io.verbena.tools.perf.PerfClient;
import io.verbena.tools.perf.PerfOp;
import io.verbena.tools.perf.PerfRun;
import io.verbena.tools.perf.PerfServer;
import io.verbena.tools.perf.PerfSettings;
import io.verbena.tools.perf.WarmUp;
import io.verbena.tools.ping.PingClient;
import io.verbena.tools.ping.PingListener;
import io.verbena.tools.ping.PingServer;
import io.verbena.tools.ping.PingSettings;
import io.verbena.tools.pingpong.PingPong;
import io.verbena.tools.pingpong.PingPongFigures;
import io.verbena.tools.pingpong.PingPongService;
import io.verbena.tools.pingpong.PingPongSettings;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Programs over a network that loses, duplicates and delays packets in both directions. The completions of Sends and of receives come in
 * any order: the answer to a message can be received before the acknowledgement of the message.
 */
class LossyNetworkTest {

    private static final RnicOptions ROCE = RnicOptions.defaults().withProvider("roce");
    private static final PacketFaults ROUGH =
            PacketFaults.none().withLoss(12).withDuplicates(20).withHolds(10, 300_000);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int MESSAGES = 40;

    private static final PingListener SILENT = new PingListener() {
        @Override
        public void onData(String label, MemorySegment data) {}

        @Override
        public void onRounds(long rounds) {}

        @Override
        public void onEvent(String line) {}
    };

    private final StopSignal stop = new StopSignal();
    private final Rnic left = new RoceProvider().open(ROCE, ROUGH);
    private final Rnic right = new RoceProvider().open(ROCE, ROUGH);

    @AfterEach
    void close() {
        left.close();
        right.close();
    }

    private static <T> FutureTask<T> start(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    private static InetAddress addressOf(Rnic rnic) throws Exception {
        try (Listener listener = rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            return ((InetSocketAddress) listener.localAddress()).getAddress();
        }
    }

    @ParameterizedTest
    @EnumSource(PerfOp.class)
    void perf_everyOperation_completes(PerfOp op) throws Exception {
        try (Listener listener = right.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            PerfServer server =
                    new PerfServer(right, ROCE, ConnectionOptions.defaults(), Optional.empty(), line -> {}, stop);
            FutureTask<Boolean> serving = start(() -> {
                server.serve(listener);
                return true;
            });
            PerfSettings settings = new PerfSettings(
                    new byte[PerfSettings.TOKEN_BYTES],
                    new PerfSettings.Load(10_000, 1, 16),
                    Progress.ENGINE_THREAD,
                    PATIENCE,
                    ConnectionOptions.defaults());
            try (PerfClient client = new PerfClient(left, listener.localAddress(), settings, stop)) {
                client.run(
                        new PerfRun(op, 8, MESSAGES, PATIENCE.toNanos(), op.latency() ? 1 : 16, 1),
                        WarmUp.none(),
                        ProgressBar.hidden());
            }
            stop.raise();
            assertTrue(serving.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        }
    }

    @Test
    void ping_rounds_areVerified() throws Exception {
        PingSettings settings = new PingSettings(
                new PingSettings.Rounds(5_000, MESSAGES / 2, true, Duration.ZERO),
                new PingSettings.Waits(PATIENCE, PATIENCE),
                new PingSettings.Admission(1 << 16, 1, 1),
                ConnectionOptions.defaults());
        PingServer server = new PingServer(right, settings, SILENT, stop);
        CompletableFuture<SocketAddress> ready = new CompletableFuture<>();
        FutureTask<Boolean> serving = start(() -> {
            server.serve(new InetSocketAddress(addressOf(right), 0), ready::complete);
            return true;
        });
        PingClient client = new PingClient(left, settings, SILENT, stop);
        client.run(ready.get());
        assertTrue(serving.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertEquals(MESSAGES / 2, client.figures().rounds());
        assertEquals(0, server.failed(), () -> server.failures().toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"RC", "SRQ"})
    void pingPong_messages_allArrive(String service) throws Exception {
        FutureTask<PingPongFigures> serving = play(left, right, service, MESSAGES);
        assertEquals(
                MESSAGES, serving.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).received());
    }

    /** The acknowledgment of the last message is lost in some rounds, and there is no farewell. */
    @Test
    void pingPong_clientLeavesAfterItsLastMessage_serverHasAllAcknowledgments() throws Exception {
        for (int round = 0; round < 20; round++) {
            try (Rnic staying = new RoceProvider().open(ROCE, PacketFaults.none());
                    Rnic leaving =
                            new RoceProvider().open(ROCE, PacketFaults.none().withLoss(12))) {
                FutureTask<PingPongFigures> serving = play(leaving, staying, "RC", 1);
                leaving.close();
                assertEquals(
                        1, serving.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).sent());
            }
        }
    }

    /** Plays to the end of the client, and returns what the server is doing. */
    private FutureTask<PingPongFigures> play(Rnic client, Rnic server, String service, int messages) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            FutureTask<PingPongFigures> serving = start(() -> {
                try (ExchangeSocket socket = ExchangeSocket.accept(listener, PATIENCE, stop)) {
                    return pingPong(server, service, messages).run(socket);
                }
            });
            try (ExchangeSocket socket = ExchangeSocket.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort()), PATIENCE)) {
                assertEquals(
                        messages,
                        pingPong(client, service, messages).run(socket).received());
            }
            return serving;
        }
    }

    private PingPong pingPong(Rnic rnic, String service, int messages) throws Exception {
        PingPongSettings settings = new PingPongSettings(
                PingPongService.valueOf(service),
                new PingPongSettings.Messages(3_000, messages, false, true),
                new PingPongSettings.Queues(8, 1, false),
                new PingPongSettings.Path(1_024, 0, addressOf(rnic)),
                PATIENCE);
        return new PingPong(rnic, settings, stop, line -> {});
    }
}
