package io.verbena.hardware.provider;

import static io.verbena.hardware.provider.SurvivingEnds.LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.provider.SurvivingEnds.Kind;
import io.verbena.hardware.provider.SurvivingEnds.Result;
import io.verbena.hardware.provider.survival.AdapterResume;
import io.verbena.host.Until;
import io.verbena.survival.AssociationId;
import io.verbena.survival.AssociationSecret;
import io.verbena.survival.ResumeMessage;
import io.verbena.survival.ResumePoint;
import io.verbena.survival.ResumeType;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SurvivalOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections over the fake adapter whose path breaks while requests are under way. */
class SurvivingAdapterTest {

    private static final SurvivalOptions PLAIN = SurvivalOptions.over();
    private static final List<Kind> EACH = List.of(Kind.SEND, Kind.WRITE, Kind.ADD, Kind.SEND, Kind.READ, Kind.ADD);

    /**
     * Nothing is guessed: what completes with success was executed once, what is unknown at most once, and in order.
     */
    private static void check(SurvivingEnds ends, List<Result> results) {
        List<Long> certain = new ArrayList<>();
        List<Long> possible = new ArrayList<>();
        long added = 0;
        long perhapsAdded = 0;
        for (Result each : results) {
            boolean success = each.status() == CompletionStatus.SUCCESS;
            assertTrue(success || each.status() == CompletionStatus.OUTCOME_UNKNOWN, each::toString);
            switch (ends.kind(each)) {
                case SEND -> {
                    possible.add(each.id());
                    if (success) {
                        certain.add(each.id());
                    }
                }
                case ADD -> {
                    added += success ? 1 : 0;
                    perhapsAdded++;
                }
                default -> {
                    assertTrue(success, each::toString);
                    assertTrue(ends.kind(each) == Kind.READ || ends.written(each.id()) == each.id());
                }
            }
        }
        List<Long> received = ends.received();
        assertTrue(received.containsAll(certain), received + " lacks some of " + certain);
        assertTrue(possible.containsAll(received), received + " has more than " + possible);
        assertEquals(received.stream().distinct().sorted().toList(), received, "each message once, in order");
        assertTrue(ends.counter() >= added && ends.counter() <= perhapsAdded, ends.counter() + " of " + added);
    }

    @ParameterizedTest
    @CsvSource({"false, true", "true, true", "false, false", "true, false"})
    void brokenAtEachStep_workGoesOn_andNothingIsGuessed(boolean logged, boolean byTheClient) throws IOException {
        int slots = EACH.size() * (logged ? 2 : 1);
        for (int answered = 0; answered < slots; answered++) {
            for (int lost = 0; answered + lost < slots; lost++) {
                try (SurvivingEnds ends = new SurvivingEnds(logged ? PLAIN.withLog() : PLAIN, byTheClient)) {
                    ends.fake.cutAfter(answered, lost);
                    EACH.forEach(ends::post);
                    List<Result> results = ends.results(EACH.size());
                    assertEquals(
                            List.of(0L, 1L, 2L, 3L, 4L, 5L),
                            results.stream().map(Result::id).toList());
                    check(ends, results);
                    String at = "after " + answered + " and " + lost;
                    assertEquals(expected(answered, lost, logged), statuses(results), at);
                    ends.post(Kind.SEND);
                    assertEquals(
                            CompletionStatus.SUCCESS, ends.results(1).getFirst().status());
                    Until.holds(
                            "both sides know of one change",
                            () -> ends.from.transportChanges().changes() == 1
                                    && ends.to.transportChanges().changes() == 1);
                }
            }
        }
    }

    private static List<CompletionStatus> statuses(List<Result> results) {
        return results.stream().map(Result::status).toList();
    }

    /** The table of docs/survival.md. */
    private static List<CompletionStatus> expected(int answered, int lost, boolean logged) {
        List<CompletionStatus> expected = new ArrayList<>();
        int slotsEach = logged ? 2 : 1;
        int executed = answered + lost;
        for (int i = 0; i < EACH.size(); i++) {
            int last = (i + 1) * slotsEach;
            boolean complete = answered >= last || logged && answered == last - 1;
            boolean idempotent = EACH.get(i) == Kind.WRITE || EACH.get(i) == Kind.READ;
            boolean next = executed >= i * slotsEach && executed < last;
            boolean lostResult = executed >= last && EACH.get(i) == Kind.ADD;
            boolean unknown = !complete && !idempotent && (!logged || next || lostResult);
            expected.add(unknown ? CompletionStatus.OUTCOME_UNKNOWN : CompletionStatus.SUCCESS);
        }
        return expected;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void brokenAgainAndAgain_randomRequests(int seed) throws IOException {
        Random random = new Random(seed);
        boolean logged = seed % 2 == 0;
        try (SurvivingEnds ends = new SurvivingEnds(logged ? PLAIN.withLog() : PLAIN)) {
            List<Result> results = new ArrayList<>();
            int sends = 0;
            for (int round = 0; round < 12; round++) {
                ends.fake.cutAfter(random.nextInt(8), random.nextInt(4));
                int count = 1 + random.nextInt(8);
                for (int i = 0; i < count; i++) {
                    Kind kind = Kind.values()[random.nextInt(4)];
                    boolean full = kind == Kind.SEND && ++sends > SurvivingEnds.RECEIVES;
                    ends.post(full ? Kind.WRITE : kind);
                }
                results.addAll(ends.results(count));
            }
            check(ends, results);
            if (logged) {
                long changes = ends.from.transportChanges().changes();
                long unknownMessages = results.stream()
                        .filter(each -> ends.kind(each) == Kind.SEND)
                        .filter(each -> each.status() == CompletionStatus.OUTCOME_UNKNOWN)
                        .count();
                assertTrue(unknownMessages <= changes, unknownMessages + " in " + changes + " changes");
            }
        }
    }

    @Test
    void noRequests_migrate_receivesStayPosted() throws IOException {
        try (SurvivingEnds ends = new SurvivingEnds(PLAIN)) {
            for (int i = 1; i <= 5; i++) {
                int expected = i;
                ends.from.migrate();
                Until.holds(
                        "both sides have changed",
                        () -> ends.from.transportChanges().changes() == expected
                                && ends.to.transportChanges().changes() == expected);
                ends.post(Kind.SEND);
                assertEquals(
                        CompletionStatus.SUCCESS, ends.results(1).getFirst().status());
                assertEquals(List.of((long) i - 1), ends.received());
            }
            assertEquals(
                    AsyncEventType.TRANSPORT_CHANGED,
                    ends.client.pollAsyncEvents(LONG).getFirst().type());
        }
    }

    /** Both sides leave the transport at any time, while a thread posts, batches and polls. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void leftWhileAThreadPosts_eachRequestHasOneEntry_inOrder(boolean logged) throws Exception {
        try (SurvivingEnds ends = new SurvivingEnds(logged ? PLAIN.withLog() : PLAIN)) {
            AtomicBoolean over = new AtomicBoolean();
            FutureTask<Integer> leaving = new FutureTask<>(() -> {
                int left = 0;
                while (!over.get()) {
                    long changes = ends.from.transportChanges().changes();
                    (left % 2 == 0 ? ends.from : ends.to).migrate();
                    left++;
                    Until.holds(
                            "it goes on",
                            () -> over.get() || ends.from.transportChanges().changes() > changes);
                }
                return left;
            });
            Thread.ofPlatform().daemon().start(leaving);
            long next = 0;
            long added = 0;
            int batches = 0;
            while (batches < 300 || ends.from.transportChanges().changes() < 10) {
                ends.near.startBatch();
                for (int i = 0; i < 10; i++) {
                    ends.post(i % 3 == 0 ? Kind.ADD : i % 3 == 1 ? Kind.WRITE : Kind.READ);
                }
                ends.near.ringDoorbell();
                batches++;
                for (Result each : ends.results(10)) {
                    assertEquals(next++, each.id());
                    boolean success = each.status() == CompletionStatus.SUCCESS;
                    boolean mayBeUnknown = ends.kind(each) == Kind.ADD;
                    assertTrue(success || mayBeUnknown && each.status() == CompletionStatus.OUTCOME_UNKNOWN);
                    added += success && mayBeUnknown ? 1 : 0;
                }
            }
            over.set(true);
            assertTrue(leaving.get() > 0);
            assertTrue(ends.counter() >= added && ends.counter() <= batches * 4L, ends.counter() + " of " + added);
        }
    }

    @Test
    void acceptingSideLeaves_connectingSideResumes() throws IOException {
        try (SurvivingEnds ends = new SurvivingEnds(PLAIN)) {
            ends.to.migrate();
            Until.holds(
                    "both sides have changed",
                    () -> ends.from.transportChanges().changes() == 1
                            && ends.to.transportChanges().changes() == 1);
            ends.post(Kind.SEND);
            assertEquals(CompletionStatus.SUCCESS, ends.results(1).getFirst().status());
        }
    }

    @Test
    void attemptFails_nextOneContinues() throws IOException {
        try (SurvivingEnds ends = new SurvivingEnds(PLAIN)) {
            for (NativeFunction function : List.of(
                    NativeFunction.RESOLVE_ADDR,
                    NativeFunction.RESOLVE_ROUTE,
                    NativeFunction.CONNECT,
                    NativeFunction.ACCEPT,
                    NativeFunction.ESTABLISH,
                    NativeFunction.INIT_QP_ATTR)) {
                long before = ends.from.transportChanges().changes();
                ends.fake.failNext(function, Errno.ETIMEDOUT);
                ends.from.migrate();
                Until.holds(
                        "it continues after " + function,
                        () -> ends.from.transportChanges().changes() > before);
                ends.post(Kind.SEND);
                assertEquals(
                        CompletionStatus.SUCCESS, ends.results(1).getFirst().status(), function.toString());
            }
        }
    }

    @Test
    void listenerIsGone_patienceEnds_workIsFlushedOnce() throws IOException {
        try (SurvivingEnds ends = new SurvivingEnds(PLAIN.withPatience(Duration.ofMillis(100)))) {
            ends.listener.close();
            ends.fake.cutAfter(1, 1);
            EACH.forEach(ends::post);
            List<CompletionStatus> statuses = statuses(ends.results(EACH.size()));
            assertEquals(CompletionStatus.SUCCESS, statuses.getFirst());
            assertEquals(Collections.nCopies(5, CompletionStatus.FLUSHED), statuses.subList(1, 6));
            assertTrue(ends.from.awaitClosed(LONG));
            assertEquals(ConnectionState.FAILED, ends.from.state());
            assertTrue(ends.from.reason().startsWith("The connection could not be continued"), ends.from.reason());
            assertTrue(ends.near.state().failed());
            assertFalse(ends.nearCq.await(Duration.ofMillis(1)), "each request has one entry");
        }
    }

    @Test
    void peerHasGivenUp_isUnknown_workFails() throws IOException {
        try (SurvivingEnds ends = new SurvivingEnds(PLAIN)) {
            ends.far.close();
            ends.post(Kind.SEND);
            assertEquals(CompletionStatus.FLUSHED, ends.results(1).getFirst().status());
            assertTrue(ends.from.awaitClosed(LONG));
            assertTrue(ends.from.reason().contains("unknown"), ends.from.reason());
        }
    }

    @Test
    void requestThatThePeerRefuses_endsTheConnection_withItsStatus() throws IOException {
        try (SurvivingEnds ends = new SurvivingEnds(PLAIN)) {
            ends.fake.adapter().failNextRequest(10);
            ends.post(Kind.WRITE);
            assertEquals(
                    CompletionStatus.REMOTE_ACCESS, ends.results(1).getFirst().status());
            assertTrue(ends.from.awaitClosed(LONG));
            assertEquals(0, ends.from.transportChanges().changes());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void closedGracefully_isNoFailure(boolean byTheServer) throws IOException {
        try (SurvivingEnds ends = new SurvivingEnds(PLAIN)) {
            EACH.forEach(ends::post);
            ends.results(EACH.size());
            (byTheServer ? ends.to : ends.from).disconnect();
            assertTrue(ends.from.awaitClosed(LONG) && ends.to.awaitClosed(LONG));
            assertEquals(ConnectionState.CLOSED, ends.from.state(), ends.from.reason());
            assertEquals(ConnectionState.CLOSED, ends.to.state(), ends.to.reason());
        }
    }

    @Test
    void closedWhileResuming_closeGoesOn() throws IOException {
        for (int i = 0; i < 10; i++) {
            try (SurvivingEnds ends = new SurvivingEnds(PLAIN)) {
                ends.fake.failNext(NativeFunction.RESOLVE_ADDR, Errno.ENETUNREACH);
                ends.from.migrate();
                ends.from.disconnect();
                assertTrue(ends.from.awaitClosed(LONG) && ends.to.awaitClosed(LONG));
                assertEquals(ConnectionState.CLOSED, ends.from.state(), ends.from.reason());
                assertEquals(ConnectionState.CLOSED, ends.to.state(), ends.to.reason());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void closedAtAnyTime_nothingIsLeft(int step) throws IOException {
        try (SurvivingEnds ends = new SurvivingEnds(PLAIN.withLog())) {
            ends.fake.cutAfter(step, 1);
            EACH.forEach(ends::post);
            if (step == 2) {
                ends.results(EACH.size());
            } else if (step == 3) {
                ends.results(1);
            } else if (step == 4) {
                ends.from.migrate();
                ends.to.migrate();
            }
            assertEquals(0, ends.closeBoth());
        }
    }

    @Test
    void strangersResume_areRejected_andLeaveNothing() throws IOException {
        try (SurvivingEnds ends = new SurvivingEnds(PLAIN)) {
            int afterFirst = 0;
            byte[] resume = AdapterResume.encode(
                    new AdapterResume(new ResumeMessage(ResumeType.RESUME, 0, 5, ResumePoint.none()), 0),
                    new AssociationId(1, 2),
                    AssociationSecret.of(new byte[32]));
            for (int i = 0; i < 20; i++) {
                QueuePair stranger =
                        ends.client.allocateProtectionDomain().createQueuePair(ends.client.createCompletionQueue(8));
                ConnectionException refused = assertThrows(
                        ConnectionException.class,
                        () -> ends.client.connect(
                                stranger,
                                ends.listener.localAddress(),
                                ConnectionOptions.defaults().withTimeout(LONG).withPrivateData(resume)));
                assertEquals(ConnectionException.Kind.REJECTED, refused.kind());
                assertEquals(
                        ResumeType.UNKNOWN,
                        AdapterResume.open(refused.privateData(), AssociationSecret.of(new byte[32]))
                                .orElseThrow()
                                .message()
                                .type());
                stranger.close();
                stranger.sendCq().close();
                stranger.protectionDomain().close();
                afterFirst = i == 0 ? ends.fake.adapter().objects() : afterFirst; // the RNIC makes some once
            }
            int most = afterFirst;
            Until.holds("the strangers have left", () -> ends.fake.adapter().objects() <= most);
            assertEquals(Optional.empty(), ends.listener.nextRequest(Duration.ZERO), "the program sees none of them");
            assertEquals(0, ends.to.transportChanges().changes());
        }
    }

    @Test
    void privateData_arriveAsTheyWere_andOnesThatLookLikeAnAgreementAreRefused() throws IOException {
        try (SurvivingEnds ends = new SurvivingEnds(PLAIN)) {
            QueuePair near =
                    ends.client.allocateProtectionDomain().createQueuePair(ends.client.createCompletionQueue(8));
            ConnectionOptions surviving = ConnectionOptions.defaults().surviving();
            Connection _ = ends.client.startConnect(
                    near, ends.listener.localAddress(), surviving.withPrivateData(new byte[] {1, 2}));
            byte[] arrived = ends.listener.nextRequest(LONG).orElseThrow().privateData();
            assertArrayEquals(new byte[] {1, 2}, Arrays.copyOf(arrived, 2));
            assertEquals(12, arrived.length);
            for (byte[] bad : List.of(new byte[13], new byte[] {'V', 'B', 'N', 'A'})) {
                QueuePair other =
                        ends.client.allocateProtectionDomain().createQueuePair(ends.client.createCompletionQueue(8));
                assertThrows(
                        IllegalArgumentException.class,
                        () -> ends.client.startConnect(
                                other, ends.listener.localAddress(), surviving.withPrivateData(bad)));
            }
        }
    }

    @Test
    void keyOperations_areRefused() throws IOException {
        try (SurvivingEnds ends = new SurvivingEnds(PLAIN)) {
            assertThrows(
                    UnsupportedOperationException.class,
                    () -> ends.near.post(ends.near.newWorkRequest().localInvalidate(5)));
        }
    }
}
