package io.verbena.host;

import io.verbena.verbs.Figures;
import io.verbena.verbs.Rnic;
import java.util.Map;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.function.ObjIntConsumer;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;

/**
 * The RNICs of this process as the flight recorder sees them: one event for each engine, CQ and queue pair per period of a recording.
 * Before the first recording, only a listener of the recorder exists; engines never write events.
 */
final class RecordedRnics implements FlightRecorderListener {

    private static final RecordedRnics OF_PROCESS = new RecordedRnics();

    /** With their numbers. An RNIC that the application has forgotten is not kept. */
    private final Map<Rnic, Integer> numbers = new WeakHashMap<>();

    private final FigureSample sample = new FigureSample(System::nanoTime);
    private int last;

    private RecordedRnics() {}

    /** Records an RNIC from now on, until it is closed. */
    static <R extends Rnic> R add(R rnic) {
        if (OF_PROCESS.number(rnic) == 1) {
            listen();
        }
        return rnic;
    }

    /** The classes of a recorder that is not used take 2 to 14 ms to load, for which no program waits. */
    private static void listen() {
        if (FlightRecorder.isInitialized()) {
            FlightRecorder.addListener(OF_PROCESS);
        } else {
            Thread.ofPlatform()
                    .daemon()
                    .name("verbena-flight-recorder")
                    .start(() -> FlightRecorder.addListener(OF_PROCESS));
        }
    }

    private synchronized int number(Rnic rnic) {
        last++;
        numbers.put(rnic, last);
        return last;
    }

    @Override
    public void recorderInitialized(FlightRecorder recorder) {
        FlightRecorder.addPeriodicEvent(
                EngineStatisticsEvent.class,
                () -> each("engine", (part, rnic) -> EngineStatisticsEvent.emit(rnic, part)));
        FlightRecorder.addPeriodicEvent(
                CompletionQueueStatisticsEvent.class,
                () -> each("completion_queue", (part, rnic) -> CompletionQueueStatisticsEvent.emit(rnic, part)));
        FlightRecorder.addPeriodicEvent(
                QueuePairStatisticsEvent.class,
                () -> each("queue_pair", (part, rnic) -> QueuePairStatisticsEvent.emit(rnic, part)));
    }

    private void each(String kind, ObjIntConsumer<Figures> event) {
        sample.of(kind, this::figures).forEach((number, figures) -> {
            if ("OPEN".equals(figures.texts().get("state"))) {
                figures.parts(kind).forEach(part -> event.accept(part, number));
            }
        });
    }

    private Map<Integer, Figures> figures() {
        Map<Integer, Figures> byNumber = new TreeMap<>();
        open().forEach((number, rnic) -> byNumber.put(number, rnic.figures()));
        return byNumber;
    }

    private synchronized Map<Integer, Rnic> open() {
        Map<Integer, Rnic> byNumber = new TreeMap<>();
        numbers.forEach((rnic, number) -> byNumber.put(number, rnic));
        return byNumber;
    }
}
