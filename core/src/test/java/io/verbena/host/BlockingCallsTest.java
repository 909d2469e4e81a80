package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.verbena.host.engine.WaitingCall;
import io.verbena.host.engine.WaitingCall.Preparation;
import io.verbena.host.engine.WaitingCall.Subject;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.HandlerLoop;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Notification;
import io.verbena.verbs.ProcessorPolicy;
import io.verbena.verbs.Progress;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RdmaPeer;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeoutException;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * No thread waits for what has ended: every blocking call of the API, every way to end what it waits for, both kinds of progress,
 * every provider. The death of a process is the subject of {@link KilledProcessTest}.
 */
class BlockingCallsTest {

    private static final List<String> PROVIDERS = List.of("iwarp", "shm", "roce");

    private enum End {
        OBJECT_CLOSED,
        RNIC_CLOSED,
        RNIC_CLOSED_ELSEWHERE,
        ENGINE_FAILED,
        PEER_CLOSED
    }

    private enum Where {
        ANY,
        ENGINE_THREAD,
        INLINE,
        DATAGRAMS
    }

    /** A blocking call, what ends it, and what it must return or throw then. */
    private record Row(String call, Where where, Set<End> ends, Preparation preparation, Predicate<Object> expected) {}

    private static Row row(String call, Where where, Set<End> ends, Preparation what, Predicate<Object> expected) {
        return new Row(call, where, ends, what, expected);
    }

    private static final Set<End> OBJECT = EnumSet.of(End.OBJECT_CLOSED, End.RNIC_CLOSED, End.RNIC_CLOSED_ELSEWHERE);
    private static final Set<End> ENGINE = EnumSet.of(End.RNIC_CLOSED, End.RNIC_CLOSED_ELSEWHERE, End.ENGINE_FAILED);
    private static final Set<End> ALL = EnumSet.allOf(End.class);

    /** Ends after which posted work completes: an INLINE RNIC that another thread closes does not run any more. */
    private static final Set<End> FLUSHED = EnumSet.of(End.RNIC_CLOSED, End.ENGINE_FAILED, End.PEER_CLOSED);

    private static final Predicate<Object> FALSE = Boolean.FALSE::equals;
    private static final Predicate<Object> TRUE = Boolean.TRUE::equals;
    private static final Predicate<Object> NOT_CONNECTED = ConnectionException.class::isInstance;

    private static final List<Row> TABLE = List.of(
            row("CompletionQueue.await(Duration)", Where.ANY, OBJECT, BlockingCallsTest::awaitEmpty, FALSE),
            row("CompletionQueue.await(Duration)", Where.ANY, FLUSHED, BlockingCallsTest::awaitReceive, TRUE),
            row(
                    "CompletionQueue.take(Duration)",
                    Where.ANY,
                    OBJECT,
                    BlockingCallsTest::takeEmpty,
                    result -> result instanceof IllegalStateException),
            row(
                    "CompletionQueue.take(Duration)",
                    Where.ANY,
                    FLUSHED,
                    BlockingCallsTest::takeReceive,
                    result -> result instanceof CompletionCursor cursor && !cursor.ok()),
            row(
                    "Listener.nextRequest(Duration)",
                    Where.ANY,
                    union(OBJECT, ENGINE),
                    place -> {
                        Listener listener = place.rnic().listen(StreamProbe.loopback(0));
                        return new Subject(() -> listener.nextRequest(place.patience), listener::close);
                    },
                    Optional.empty()::equals),
            row(
                    "Connection.awaitEstablished(Duration)",
                    Where.ANY,
                    ALL,
                    place -> {
                        Connection connection = unanswered(place);
                        return new Subject(
                                () -> {
                                    connection.awaitEstablished(place.patience);
                                    return "established";
                                },
                                connection::close);
                    },
                    NOT_CONNECTED),
            row(
                    "Connection.awaitClosed(Duration)",
                    Where.ANY,
                    union(FLUSHED, EnumSet.of(End.OBJECT_CLOSED)),
                    BlockingCallsTest::awaitClosed,
                    TRUE),
            row(
                    "Connection.awaitClosed(Duration)",
                    Where.ANY,
                    EnumSet.of(End.RNIC_CLOSED_ELSEWHERE),
                    BlockingCallsTest::awaitClosed,
                    Boolean.class::isInstance),
            row(
                    "Rnic.connect(QueuePair,SocketAddress,ConnectionOptions)",
                    Where.ANY,
                    ENGINE,
                    place -> {
                        Site near = new Site(place.rnic());
                        Listener silent = place.other.listen(StreamProbe.loopback(0));
                        return new Subject(
                                () -> place.rnic().connect(near.queuePair, silent.localAddress(), patient(place)),
                                () -> {});
                    },
                    NOT_CONNECTED),
            row(
                    "Rnic.lookUp(SocketAddress,ConnectionOptions)",
                    Where.DATAGRAMS,
                    ENGINE,
                    place -> {
                        Listener silent = place.other.listen(StreamProbe.loopback(0));
                        return new Subject(() -> place.rnic().lookUp(silent.localAddress(), patient(place)), () -> {});
                    },
                    NOT_CONNECTED),
            row(
                    "EndToEndContext.awaitEstablished(Duration)",
                    Where.DATAGRAMS,
                    ALL,
                    place -> {
                        EndToEndContext context = unansweredContext(place);
                        return new Subject(
                                () -> {
                                    context.awaitEstablished(place.patience);
                                    return "established";
                                },
                                context::close);
                    },
                    NOT_CONNECTED),
            row(
                    "EndToEndContext.awaitClosed(Duration)",
                    Where.DATAGRAMS,
                    union(FLUSHED, EnumSet.of(End.OBJECT_CLOSED)),
                    BlockingCallsTest::awaitContextClosed,
                    TRUE),
            row(
                    "EndToEndContext.awaitClosed(Duration)",
                    Where.DATAGRAMS,
                    EnumSet.of(End.RNIC_CLOSED_ELSEWHERE),
                    BlockingCallsTest::awaitContextClosed,
                    Boolean.class::isInstance),
            row(
                    "Rnic.pollAsyncEvents(Duration)",
                    Where.ANY,
                    ENGINE,
                    place -> {
                        return new Subject(() -> place.rnic().pollAsyncEvents(place.patience), () -> {});
                    },
                    List.class::isInstance),
            row(
                    "Rnic.progress(Duration)",
                    Where.ANY,
                    ENGINE,
                    place -> progressing(place, () -> place.rnic().progress(place.patience)),
                    Integer.class::isInstance),
            row(
                    "Rnic.progress(Duration,BooleanSupplier)",
                    Where.ANY,
                    ENGINE,
                    place -> progressing(place, () -> place.rnic().progress(place.patience, () -> false)),
                    Integer.class::isInstance),
            row(
                    "Rnic.close(Duration)",
                    Where.ENGINE_THREAD,
                    EnumSet.of(End.RNIC_CLOSED),
                    place -> {
                        busyHandler(place);
                        return new Subject(
                                () -> {
                                    place.rnic().close(place.patience);
                                    return "closed";
                                },
                                () -> {});
                    },
                    "closed"::equals),
            row(
                    "HandlerLoop.await(Duration)",
                    Where.ANY,
                    EnumSet.of(End.OBJECT_CLOSED),
                    place -> {
                        HandlerLoop loop = HandlerLoop.open(ProcessorPolicy.defaults());
                        return new Subject(() -> loop.await(place.patience), loop::close);
                    },
                    FALSE),
            row(
                    "RdmaPeer.accept(Duration)",
                    Where.ENGINE_THREAD,
                    EnumSet.of(End.OBJECT_CLOSED),
                    place -> {
                        RdmaPeer peer = peer(place);
                        peer.listen(StreamProbe.loopback(0));
                        return new Subject(
                                () -> {
                                    peer.accept(place.patience);
                                    return "accepted";
                                },
                                peer::close);
                    },
                    NOT_CONNECTED),
            row(
                    "RdmaPeer.connect(SocketAddress)",
                    Where.ENGINE_THREAD,
                    EnumSet.of(End.OBJECT_CLOSED),
                    place -> {
                        RdmaPeer peer = peer(place);
                        Listener silent = place.other.listen(StreamProbe.loopback(0));
                        return new Subject(
                                () -> {
                                    peer.connect(silent.localAddress());
                                    return "connected";
                                },
                                peer::close);
                    },
                    NOT_CONNECTED));

    /** Calls that wait only within a call of the table, and calls with a duration that do not wait. */
    private static final Map<String, String> OTHERS = Map.ofEntries(
            Map.entry("Rnic.connect(QueuePair,SocketAddress)", "Rnic.connect with default options"),
            Map.entry("ConnectionRequest.accept(QueuePair,ConnectionOptions)", "Connection.awaitEstablished"),
            Map.entry("ConnectionRequest.accept(QueuePair)", "Connection.awaitEstablished"),
            Map.entry("ConnectionRequest.accept(QueuePair,byte[])", "Connection.awaitEstablished"),
            Map.entry(
                    "ConnectionRequest.acceptContext(ReliableDatagramDomain,ConnectionOptions)",
                    "EndToEndContext.awaitEstablished"),
            Map.entry(
                    "ReliableDatagramDomain.connect(SocketAddress,ConnectionOptions)",
                    "EndToEndContext.awaitEstablished"),
            Map.entry("CompletionQueue.moderate(int,Duration)", "does not wait"),
            Map.entry("CompletionQueue.moderateAdaptively(int,Duration)", "does not wait"),
            Map.entry("SegmentOffer.revoke(Duration)", "waits for other processes: SegmentProcessesTest"));

    private static Set<End> union(Set<End> some, Set<End> more) {
        EnumSet<End> all = EnumSet.copyOf(some);
        all.addAll(more);
        return all;
    }

    // The objects that calls wait for.

    private static Subject awaitEmpty(WaitingCall place) {
        CompletionQueue cq = place.rnic().createCompletionQueue(8);
        return new Subject(() -> cq.await(place.patience), cq::close);
    }

    private static Subject takeEmpty(WaitingCall place) {
        CompletionQueue cq = place.rnic().createCompletionQueue(8);
        return new Subject(() -> cq.take(place.patience), cq::close);
    }

    private static Subject awaitReceive(WaitingCall place) throws IOException {
        Site near = connected(place);
        near.queuePair.postReceive(1, near.memory, 0, 8);
        return new Subject(() -> near.cq.await(place.patience), () -> {});
    }

    private static Subject takeReceive(WaitingCall place) throws IOException {
        Site near = connected(place);
        near.queuePair.postReceive(1, near.memory, 0, 8);
        return new Subject(() -> near.cq.take(place.patience), () -> {});
    }

    private static Subject awaitClosed(WaitingCall place) throws IOException {
        Connection connection = connected(place).queuePair.connection().orElseThrow();
        return new Subject(() -> connection.awaitClosed(place.patience), connection::close);
    }

    private static ConnectionOptions patient(WaitingCall place) {
        return ConnectionOptions.defaults().withTimeout(place.patience);
    }

    private static Site connected(WaitingCall place) throws IOException {
        Site near = new Site(place.rnic());
        Site.connect(near, new Site(place.other));
        return near;
    }

    private static Connection unanswered(WaitingCall place) throws IOException {
        return WaitingCall.startConnect(place.rnic(), place.other.listen(StreamProbe.loopback(0)));
    }

    private static Subject awaitContextClosed(WaitingCall place) throws IOException {
        EndToEndContext context = unansweredContext(place);
        return new Subject(() -> context.awaitClosed(place.patience), context::close);
    }

    private static EndToEndContext unansweredContext(WaitingCall place) throws IOException {
        place.other.allocateReliableDatagramDomain();
        Listener silent = place.other.listen(StreamProbe.loopback(0));
        return place.rnic()
                .allocateReliableDatagramDomain()
                .startConnect(
                        silent.localAddress(), ConnectionOptions.defaults().withTimeout(WaitingCall.LONGEST));
    }

    private static RdmaPeer peer(WaitingCall place) {
        return RdmaPeer.open(
                RnicOptions.defaults().withProvider(place.rnic().query().provider()), 64, AccessRight.LOCAL_WRITE);
    }

    /** A handler that waits for data in vain, so that a graceful close waits for the handler. */
    private static void busyHandler(WaitingCall place) {
        Rnic rnic = place.rnic();
        CompletionQueue empty = rnic.createCompletionQueue(8);
        CompletionQueue cq = rnic.createCompletionQueue(8);
        cq.handler(Optional.of(rnic.setCompletionHandler(_ -> empty.await(place.patience))));
        cq.requestNotification(Notification.NEXT);
        var queuePair = rnic.allocateProtectionDomain().createQueuePair(QueuePairOptions.of(cq));
        var memory = queuePair.protectionDomain().allocate(64, AccessRight.LOCAL_WRITE);
        queuePair.postReceive(1, memory, 0, 8);
        queuePair.close();
    }

    // The table.

    @TestFactory
    Stream<DynamicTest> everyCall_whatItWaitsForEnds_returnsAsDocumented() {
        List<DynamicTest> tests = new ArrayList<>();
        for (String provider : PROVIDERS) {
            for (Progress progress : Progress.values()) {
                for (Row row : TABLE) {
                    for (End end : row.ends()) {
                        if (applies(row.where(), provider, progress) && differs(end, progress)) {
                            String name = provider + ", " + progress + ", " + row.call() + ", " + end;
                            tests.add(dynamicTest(name, () -> endsWell(provider, progress, row, end)));
                        }
                    }
                }
            }
        }
        return tests.stream();
    }

    private static boolean applies(Where where, String provider, Progress progress) {
        return switch (where) {
            case ANY -> true;
            case ENGINE_THREAD -> progress == Progress.ENGINE_THREAD;
            case INLINE -> progress == Progress.INLINE;
            case DATAGRAMS -> provider.equals("roce");
        };
    }

    /** With engine threads it makes no difference which thread closes the RNIC. */
    private static boolean differs(End end, Progress progress) {
        return end != End.RNIC_CLOSED_ELSEWHERE || progress == Progress.INLINE;
    }

    private static void endsWell(String provider, Progress progress, Row row, End end) throws Exception {
        try (WaitingCall place = new WaitingCall(provider, progress, WaitingCall.LONGEST, row.preparation())) {
            place.awaitWaiting();
            assertTrue(
                    place.waits(),
                    () -> "ended before, with " + place.outcomeText() + ": " + row.call() + ", " + provider + ", "
                            + progress);
            place.endBegins();
            switch (end) {
                case OBJECT_CLOSED -> place.cause(place::closeObject);
                case RNIC_CLOSED -> place.cause(place.rnic()::close);
                case RNIC_CLOSED_ELSEWHERE -> WaitingCall.closeAnyway(place.rnic());
                case ENGINE_FAILED -> place.cause(place::failEngine);
                case PEER_CLOSED -> place.other.close();
            }
            Object outcome = place.outcome();
            assertTrue(row.expected().test(outcome), () -> row.call() + " has ended with " + outcome);
        }
    }

    @TestFactory
    Stream<DynamicTest> everyCall_negativeDuration_returnsAtOnce() {
        return TABLE.stream()
                .filter(row -> row.call().contains("Duration") || row.call().contains("ConnectionOptions"))
                .map(row -> dynamicTest(row.call(), () -> {
                    Progress progress = row.where() == Where.INLINE ? Progress.INLINE : Progress.ENGINE_THREAD;
                    String provider = row.where() == Where.DATAGRAMS ? "roce" : "iwarp";
                    try (WaitingCall place =
                            new WaitingCall(provider, progress, WaitingCall.LEAST, row.preparation())) {
                        place.endBegins();
                        Object outcome = place.outcome();
                        assertFalse(outcome instanceof ArithmeticException, outcome::toString);
                    }
                }));
    }

    // What the table must contain.

    @Test
    void everyBlockingCallOfTheApi_isInTheTable() throws Exception {
        Set<String> known = new TreeSet<>(OTHERS.keySet());
        TABLE.forEach(row -> known.add(row.call()));
        Set<String> found = new TreeSet<>();
        for (Class<?> type : api()) {
            for (Method method : type.getDeclaredMethods()) {
                if (Modifier.isPublic(method.getModifiers())
                        && !Modifier.isStatic(method.getModifiers())
                        && blocks(method)) {
                    found.add(type.getSimpleName() + "." + method.getName()
                            + Arrays.stream(method.getParameterTypes())
                                    .map(Class::getSimpleName)
                                    .collect(Collectors.joining(",", "(", ")")));
                }
            }
        }
        assertEquals(known, found);
    }

    private static Subject progressing(WaitingCall place, IntSupplier progress) {
        return new Subject(
                () -> {
                    long startNs = System.nanoTime();
                    int work = 0;
                    // Packets of others at the same address are work, too, and no end.
                    while (!place.ending() || work == 0 && System.nanoTime() - startNs < 1_000_000_000L) {
                        work = progress.getAsInt();
                    }
                    return work;
                },
                () -> {});
    }

    /** It limits its time by an argument, or throws an exception that says that the time is over. */
    private static boolean blocks(Method method) {
        return Arrays.asList(method.getParameterTypes()).contains(Duration.class)
                || Arrays.stream(method.getExceptionTypes())
                        .anyMatch(type -> type == ConnectionException.class || type == TimeoutException.class);
    }

    /** The types of the API with behaviour: interfaces, and classes that are neither records nor exceptions. */
    private static List<Class<?>> api() throws Exception {
        URI classes =
                Rnic.class.getProtectionDomain().getCodeSource().getLocation().toURI();
        List<Class<?>> types = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of(classes).resolve("io/verbena/verbs"))) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (name.endsWith(".class") && !name.contains("-")) {
                    Class<?> type = Class.forName("io.verbena.verbs." + name.substring(0, name.length() - 6));
                    if (!type.isRecord()
                            && !Throwable.class.isAssignableFrom(type)
                            && !type.getSimpleName().equals("Builder")) {
                        types.add(type);
                    }
                }
            }
        }
        return types;
    }
}
