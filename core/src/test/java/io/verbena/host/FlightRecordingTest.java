package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The periodic events of an RNIC in a flight recording. */
class FlightRecordingTest {

    private static final String PREFIX = "io.verbena.";

    @TempDir
    private Path folder = Path.of(".");

    private List<RecordedEvent> record(Runnable work) throws IOException {
        Path file = folder.resolve("rnic.jfr");
        try (Recording recording = new Recording()) {
            for (String name : List.of("EngineStatistics", "CompletionQueueStatistics", "QueuePairStatistics")) {
                recording.enable(PREFIX + name).with("period", "endChunk");
            }
            recording.start();
            Until.holds("the events are registered", FlightRecordingTest::registered);
            work.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file);
    }

    /** The first RNIC of a process registers them in a thread of its own. */
    private static boolean registered() {
        return FlightRecorder.getFlightRecorder().getEventTypes().stream()
                .anyMatch(type -> type.getName().equals(PREFIX + "QueuePairStatistics"));
    }

    private static List<RecordedEvent> named(String name, List<RecordedEvent> all) {
        return all.stream()
                .filter(event -> event.getEventType().getName().equals(PREFIX + name))
                .toList();
    }

    private static List<RecordedEvent> of(String number, List<RecordedEvent> all) {
        return named("QueuePairStatistics", all).stream()
                .filter(event -> event.getString("queuePair").equals(number))
                .toList();
    }

    @Test
    void recording_hasOneEventForEachObject_andNoneOfClosedRnics() throws IOException {
        String number;
        try (Rnic rnic = new IwarpProvider().open(RnicOptions.defaults())) {
            Site near = new Site(rnic);
            Site far = new Site(rnic);
            Site.connect(rnic, near.queuePair, far.queuePair);
            List<RecordedEvent> all = record(() -> {
                far.queuePair.postReceive(1, far.memory, 0, 800);
                near.queuePair.postSend(1, near.memory, 0, 800, WrFlags.SIGNALLED);
                near.complete(1);
            });
            number = String.format("0x%06x", near.queuePair.number());
            RecordedEvent sender = of(number, all).getLast();
            assertEquals(800, sender.getLong("transmitted"));
            assertEquals("RTS", sender.getString("state"));
            assertFalse(named("CompletionQueueStatistics", all).isEmpty());
            assertTrue(named("EngineStatistics", all).stream().anyMatch(event -> event.getLong("rounds") > 0));
        }
        assertTrue(of(number, record(() -> {})).isEmpty());
    }
}
