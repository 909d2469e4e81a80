package io.verbena.hardware.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.hardware.fake.FakeLibrary;
import io.verbena.hardware.provider.device.Obstacles;
import io.verbena.host.Until;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.SurvivalOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A client and a server over the fake adapter, whose connection survives its transport. One of them posts requests to
 * the other one: the near side to the far side.
 */
final class SurvivingEnds implements AutoCloseable {

    static final Duration LONG = Duration.ofSeconds(60);
    static final int RECEIVES = 64;

    private static final Path NONE = Path.of("/none");
    private static final int COUNTER = 0;
    private static final int WRITTEN = 1024;
    private static final int READ = 2048;
    private static final int BYTES = 4096;

    /** Kinds of requests. */
    enum Kind {
        WRITE,
        READ,
        SEND,
        ADD
    }

    /** What the client has seen of a request. */
    record Result(long id, CompletionStatus status) {}

    final FakeLibrary fake = new FakeLibrary();
    final Rnic client = open();
    final Rnic server = open();
    final Listener listener;
    /** As the client sees it. */
    final Connection from;

    /** As the server sees it. */
    final Connection to;

    final QueuePair near;
    final QueuePair far;
    final CompletionQueue nearCq;
    private final MemoryRegion nearMemory;
    private final MemoryRegion farMemory;
    private final CompletionCursor nearCursor;
    private final CompletionCursor farCursor;
    private final List<Kind> posted = new ArrayList<>();

    /** The client posts the requests. */
    SurvivingEnds(SurvivalOptions options) throws IOException {
        this(options, true);
    }

    SurvivingEnds(SurvivalOptions options, boolean clientPosts) throws IOException {
        Rnic posting = clientPosts ? client : server;
        Rnic answering = clientPosts ? server : client;
        ProtectionDomain nearDomain = posting.allocateProtectionDomain();
        ProtectionDomain farDomain = answering.allocateProtectionDomain();
        nearCq = posting.createCompletionQueue(256);
        CompletionQueue farCq = answering.createCompletionQueue(256);
        near = nearDomain.createQueuePair(nearCq);
        far = farDomain.createQueuePair(farCq);
        nearMemory = nearDomain.allocate(BYTES, AccessRight.values());
        farMemory = farDomain.allocate(BYTES, AccessRight.values());
        for (int i = 0; i < RECEIVES; i++) {
            assertTrue(far.postReceive(i, farMemory, READ + 8L * i, 8));
        }
        nearCursor = nearCq.cursor();
        farCursor = farCq.cursor();
        listener = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        ConnectionOptions surviving =
                ConnectionOptions.defaults().withTimeout(LONG).withSurvival(options);
        from = client.startConnect(clientPosts ? near : far, listener.localAddress(), surviving);
        to = listener.nextRequest(LONG).orElseThrow().startAccept(clientPosts ? far : near, surviving);
        from.awaitEstablished(LONG);
        to.awaitEstablished(LONG);
        assertTrue(from.survives() && to.survives());
    }

    private Rnic open() {
        return new IbverbsProvider(fake::libraries, new Obstacles(NONE, NONE), false).open(RnicOptions.defaults());
    }

    /** Posts the next request; it is numbered, and a message and a Write carry the number. */
    void post(Kind kind) {
        long id = posted.size();
        int at = 8 * (int) (id % 64);
        nearMemory.segment().set(ValueLayout.JAVA_LONG, WRITTEN + at, id);
        assertTrue(
                switch (kind) {
                    case WRITE ->
                        near.postWrite(
                                id,
                                nearMemory,
                                WRITTEN + at,
                                8,
                                farMemory.address() + WRITTEN + at,
                                farMemory.rkey(),
                                WrFlags.SIGNALLED);
                    case READ ->
                        near.postRead(
                                id,
                                nearMemory,
                                READ + at,
                                8,
                                farMemory.address() + BYTES - 8,
                                farMemory.rkey(),
                                WrFlags.SIGNALLED);
                    case SEND -> near.postSend(id, nearMemory, WRITTEN + at, 8, WrFlags.SIGNALLED);
                    case ADD ->
                        near.postFetchAndAdd(
                                id,
                                nearMemory,
                                READ + at,
                                farMemory.address() + COUNTER,
                                farMemory.rkey(),
                                1,
                                WrFlags.SIGNALLED);
                });
        posted.add(kind);
    }

    /** Takes the next completions. When there is none, the time of the adapter for answers that were lost is over. */
    List<Result> results(int count) {
        List<Result> results = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Until.holds("there is a completion", nearCursor::next, () -> {
                if (!nearCq.await(Duration.ofMillis(1))) {
                    fake.timeOut();
                }
            });
            results.add(new Result(nearCursor.wrId(), nearCursor.status()));
        }
        return results;
    }

    Kind kind(Result result) {
        return posted.get((int) result.id());
    }

    /** What the messages carry that have arrived at the server, in their order. */
    List<Long> received() {
        List<Long> received = new ArrayList<>();
        while (farCursor.next()) {
            assertEquals(CompletionStatus.SUCCESS, farCursor.status());
            assertEquals(CompletionOpcode.RECEIVE, farCursor.opcode());
            received.add(farMemory.segment().get(ValueLayout.JAVA_LONG, READ + 8 * farCursor.wrId()));
        }
        return received;
    }

    long counter() {
        return farMemory.segment().get(ValueLayout.JAVA_LONG, COUNTER);
    }

    /** What an addition has returned. */
    long original(long id) {
        return nearMemory.segment().get(ValueLayout.JAVA_LONG, READ + 8 * (id % 64));
    }

    long written(long id) {
        return farMemory.segment().get(ValueLayout.JAVA_LONG, WRITTEN + 8 * (id % 64));
    }

    /** Closes the objects of both sides; returns how many native ones are left. */
    int closeBoth() {
        near.close();
        far.close();
        nearMemory.close();
        farMemory.close();
        client.close();
        server.close();
        return fake.adapter().objects();
    }

    @Override
    public void close() {
        client.close();
        server.close();
        fake.close();
    }
}
