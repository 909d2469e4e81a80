package io.verbena.tools.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.verbena.micrometer.RnicMetrics;
import io.verbena.tools.CliRun;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Figure;
import io.verbena.verbs.Figures;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicFigures;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.WrFlags;
import io.verbena.web.FiguresJson;
import io.verbena.web.ProcessFigures;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** All ways to read the figures of a live pair at rest give the numbers that {@link Rnic#figures} has, one by one. */
@Timeout(120)
class LivePairTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String COMMAND = "verbena pair";
    private static final String PID = String.valueOf(ProcessHandle.current().pid());

    /** An engine thread wakes up and sleeps while nothing happens. */
    private static final Set<Figure> RESTLESS = Set.of(RnicFigures.ROUNDS, RnicFigures.PARKS, RnicFigures.BUSY);

    @TempDir
    private Path folder = Path.of(".");

    private final Rnic rnic = RnicProvider.named("iwarp").open(RnicOptions.defaults());
    private final Site near = new Site(rnic);
    private final Site far = new Site(rnic);

    @BeforeEach
    void connect() throws IOException {
        Site.connect(near, far);
    }

    @AfterEach
    void close() {
        rnic.close();
    }

    /** Work of both sides: each side of each kind of traffic has other numbers, and both queues hold requests. */
    private void exchange() {
        far.queuePair.postReceive(1, far.memory, 0, 4096);
        far.queuePair.postReceive(2, far.memory, 0, 4096);
        far.queuePair.postReceive(3, far.memory, 0, 4096);
        near.queuePair.postSend(4, near.memory, 0, 1000, WrFlags.SIGNALLED);
        near.complete(4);
        far.complete(1);
        near.queuePair.postWrite(5, near.memory, 0, 70_000, far.memory.remote(), 0, WrFlags.SIGNALLED);
        near.complete(5);
        near.queuePair.postRead(6, near.memory, 0, 3000, far.memory.remote(), 0, WrFlags.SIGNALLED);
        near.complete(6);
        near.queuePair.post(near.queuePair
                .newWorkRequest()
                .writeWithImmediate(far.memory.address(), far.memory.rkey(), 8)
                .gather(near.memory, 0, 2000)
                .id(7)
                .flags(WrFlags.SIGNALLED));
        near.complete(7);
        far.complete(2);
    }

    private static Map<String, Long> flat(List<Figures> all) {
        Map<String, Long> numbers = new TreeMap<>();
        all.forEach(each -> flat("", each, numbers));
        return numbers;
    }

    private static void flat(String outer, Figures figures, Map<String, Long> numbers) {
        String path = outer + '/' + figures.subject() + figures.identity().values();
        for (Figures.Value value : figures.values()) {
            if (!RESTLESS.contains(value.figure())) {
                numbers.put(path + ' ' + value.figure().name() + ' ' + value.attribute(), value.number());
            }
        }
        figures.parts().forEach(part -> flat(path, part, numbers));
    }

    private List<Figures> source() {
        return List.of(ProcessFigures.of(COMMAND, List.of(rnic.figures())));
    }

    @Test
    void pairAtRest_hasTheSameNumbersEverywhere() throws Exception {
        MeterRegistry registry = new SimpleMeterRegistry();
        try (Observation observation = Observation.of(COMMAND, List.of(rnic), List::of, OptionalInt.of(0), _ -> {});
                HttpClient client = HttpClient.newHttpClient()) {
            Moment before = new Moment(
                    0, Moment.now(OptionalLong.of(Long.parseLong(PID))).processes());
            exchange();
            Map<String, Long> expected = flat(source());
            String pairs = "/process[" + PID + "]/rnic[1]/queue_pair[0x" + hex(far) + "] verbena.queue_pair.";
            assertEquals(72_000, expected.get(pairs + "peer.io receive"));
            assertEquals(1000, expected.get(pairs + "io receive"));
            assertEquals(3000, expected.get(pairs + "peer.io transmit"));
            assertEquals(1, expected.get(pairs + "queue.outstanding receive"));

            URI page = observation.address().orElseThrow();
            String figures = get(client, at(page, "api/figures"));
            assertEquals(expected, flat(FiguresJson.read(processes(figures), KnownFigures.all())));
            assertEquals(expected, flat(FiguresJson.read(processes(event(client, page)), KnownFigures.all())));
            CliRun top = CliRun.of("top", "--json", PID);
            assertEquals(0, top.code(), top::err);
            assertEquals(expected, flat(FiguresJson.read(processes(top.out()), KnownFigures.all())));
            metricsAre(source(), get(client, at(page, "metrics")));
            new RnicMetrics(rnic, List.of()).bindTo(registry);
            metersAre(rnic.figures(), Tags.empty(), registry);
            recordedAre(rnic.figures());
            tableIs(
                    before,
                    new Moment(
                            1_000_000_000,
                            Moment.now(OptionalLong.of(Long.parseLong(PID))).processes()));
        }
    }

    private static String hex(Site site) {
        return String.format("%06x", site.queuePair.number());
    }

    private static URI at(URI page, String path) {
        return URI.create(page.toString().replace("?", path + '?'));
    }

    private static String get(HttpClient client, URI address) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString())
                .body();
    }

    /** The newest sample: the first one may be older than the exchange. */
    private static String event(HttpClient client, URI page) throws IOException, InterruptedException {
        InputStream events = client.send(
                        HttpRequest.newBuilder(at(page, "api/events")).build(), BodyHandlers.ofInputStream())
                .body();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(events, StandardCharsets.UTF_8))) {
            lines.readLine();
            lines.readLine();
            return lines.readLine();
        }
    }

    /** The array of processes in the JSON of a sample. */
    private static String processes(String json) {
        String start = "\"processes\":";
        return json.substring(json.indexOf(start) + start.length(), json.lastIndexOf(']') + 1);
    }

    private static void metricsAre(List<Figures> expected, String text) {
        Set<String> lines = text.lines().collect(Collectors.toSet());
        List<String> missing = new ArrayList<>();
        expected.forEach(each -> missing(each, "", lines, missing));
        assertEquals(List.of(), missing, text);
    }

    private static void missing(Figures figures, String outer, Set<String> lines, List<String> missing) {
        String labels = figures.identity().entrySet().stream()
                .map(each -> ',' + figures.subject() + '_' + each.getKey() + "=\"" + each.getValue() + '"')
                .collect(Collectors.joining("", outer, ""));
        for (Figures.Value value : figures.values()) {
            Figure figure = value.figure();
            String own = figure.attribute().isEmpty()
                    ? labels
                    : labels + ',' + figure.attribute() + "=\"" + value.attribute() + '"';
            String line = figure.name().replace('.', '_') + (figure.unit().equals("By") ? "_bytes" : "")
                    + (figure.kind() == Figure.Kind.COUNTER ? "_total" : "") + '{' + own.substring(1) + "} "
                    + value.number();
            if (!figure.unit().equals("ns") && !RESTLESS.contains(figure) && !lines.contains(line)) {
                missing.add(line);
            }
        }
        figures.parts().forEach(part -> missing(part, labels, lines, missing));
    }

    private static void metersAre(Figures figures, Tags outer, MeterRegistry registry) {
        Tags own = outer;
        for (Map.Entry<String, String> each : figures.identity().entrySet()) {
            own = own.and(figures.subject() + '.' + each.getKey(), each.getValue());
        }
        for (Figures.Value value : figures.values()) {
            String attribute = value.figure().attribute();
            Tags tags = attribute.isEmpty() ? own : own.and(attribute, value.attribute());
            if (!RESTLESS.contains(value.figure())) {
                double found = registry.get(value.figure().name())
                        .tags(tags)
                        .meter()
                        .measure()
                        .iterator()
                        .next()
                        .getValue();
                assertEquals(value.number(), found, () -> value + " " + tags);
            }
        }
        for (Figures part : figures.parts()) {
            metersAre(part, own, registry);
        }
    }

    private void recordedAre(Figures expected) throws IOException {
        Path file = folder.resolve("pair.jfr");
        try (Recording recording = new Recording()) {
            List.of("CompletionQueueStatistics", "QueuePairStatistics")
                    .forEach(each -> recording.enable("io.verbena." + each).with("period", "endChunk"));
            recording.start();
            while (FlightRecorder.getFlightRecorder().getEventTypes().stream()
                    .noneMatch(type -> type.getName().equals("io.verbena.QueuePairStatistics"))) {
                LockSupport.parkNanos(1_000_000);
            }
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        for (Figures pair : expected.parts("queue_pair")) {
            RecordedEvent event = event(events, "queuePair", pair);
            assertEquals(pair.number(RnicFigures.IO, "transmit"), event.getLong("transmitted"));
            assertEquals(pair.number(RnicFigures.IO, "receive"), event.getLong("received"));
            assertEquals(pair.number(RnicFigures.PEER_IO, "transmit"), event.getLong("readByPeer"));
            assertEquals(pair.number(RnicFigures.PEER_IO, "receive"), event.getLong("writtenByPeer"));
            assertEquals(pair.number(RnicFigures.QUEUE_OUTSTANDING, "send"), event.getLong("sendsOutstanding"));
            assertEquals(pair.number(RnicFigures.QUEUE_OUTSTANDING, "receive"), event.getLong("receivesAvailable"));
            assertEquals(pair.number(RnicFigures.FAILURES, "error"), event.getLong("errors"));
            assertEquals(pair.number(RnicFigures.FAILURES, "flushed"), event.getLong("flushed"));
        }
        for (Figures cq : expected.parts("completion_queue")) {
            RecordedEvent event = event(events, "completionQueue", cq);
            assertEquals(cq.number(RnicFigures.ENTRIES), event.getLong("entries"));
            assertEquals(cq.number(RnicFigures.ENTRIES_HIGHEST), event.getLong("highestEntries"));
            assertEquals(cq.number(RnicFigures.ENTRY_LIMIT), event.getLong("entryLimit"));
            assertEquals(cq.number(RnicFigures.POLLED), event.getLong("polled"));
        }
    }

    /** The last event of an object. Other RNICs of this JVM may have a CQ of the same number; this one was opened last. */
    private static RecordedEvent event(List<RecordedEvent> events, String field, Figures object) {
        Optional<RecordedEvent> found = events.stream()
                .filter(event -> event.hasField(field)
                        && event.getString(field).equals(object.identity().get("number")))
                .reduce((one, other) -> other.getInt("rnic") >= one.getInt("rnic") ? other : one);
        return found.orElseThrow();
    }

    /** In one second, near sends 73,000 bytes and fetches 3,000; far does the reverse without posting anything but receives. */
    private void tableIs(Moment before, Moment after) {
        List<String> lines = new PairTable(0, 10, PairTable.Order.BUSY).lines(before, after);
        String active = line(lines, near);
        String passive = line(lines, far);
        assertTrue(active.matches(".*73\\.00 kB/s +3\\.00 kB/s +4 +0$"), active);
        assertTrue(passive.matches(".*3\\.00 kB/s +73\\.00 kB/s +5 +0$"), passive);
    }

    private static String line(List<String> lines, Site site) {
        return lines.stream()
                .filter(each -> each.contains("0x" + hex(site)))
                .findFirst()
                .orElseThrow(() -> new AssertionError(lines));
    }

    /** One side of the pair. */
    private static final class Site {
        private final Rnic rnic;
        private final CompletionQueue cq;
        private final QueuePair queuePair;
        private final MemoryRegion memory;
        private final CompletionCursor cursor;

        Site(Rnic rnic) {
            this.rnic = rnic;
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            cq = rnic.createCompletionQueue(256);
            queuePair = domain.createQueuePair(QueuePairOptions.of(cq));
            memory = domain.allocate(
                    1 << 20, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE);
            cursor = cq.cursor();
        }

        static void connect(Site near, Site far) throws IOException {
            try (Listener listener = far.rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
                Connection opening =
                        near.rnic.startConnect(near.queuePair, listener.localAddress(), ConnectionOptions.defaults());
                Connection accepted = listener.nextRequest(PATIENCE)
                        .orElseThrow()
                        .startAccept(far.queuePair, ConnectionOptions.defaults());
                opening.awaitEstablished(PATIENCE);
                accepted.awaitEstablished(PATIENCE);
            }
        }

        /** Takes the next completion, which must be a good one. */
        void complete(long wrId) {
            assertTrue(cursor.next() || cq.await(PATIENCE) && cursor.next(), () -> "no completion for " + wrId);
            assertTrue(cursor.ok(), () -> cursor.status() + ": " + cursor.reason());
            assertEquals(wrId, cursor.wrId());
        }
    }
}
