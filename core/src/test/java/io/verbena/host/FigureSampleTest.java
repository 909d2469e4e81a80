package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FigureSampleTest {

    private static final long MS = 1_000_000;

    private long nowNs = Long.MAX_VALUE - MS; // the clock wraps
    private int samples;
    private final FigureSample sample = new FigureSample(() -> nowNs);

    private void emit(String kind) {
        sample.of(kind, () -> {
            samples++;
            nowNs += 3 * MS;
            return Map.of();
        });
    }

    @Test
    void allKinds_atOneInstant_areOneSample() {
        List.of("engine", "completion_queue", "queue_pair").forEach(this::emit);
        assertEquals(1, samples);
        nowNs += 10 * MS;
        List.of("engine", "completion_queue", "queue_pair").forEach(this::emit);
        assertEquals(2, samples);
    }

    @Test
    void kindAlone_isSampledInEachPeriod() {
        for (int period = 0; period < 5; period++) {
            emit("engine");
            nowNs += 10 * MS;
        }
        assertEquals(5, samples);
    }

    @Test
    void oldSample_isNotUsedByAnotherKind() {
        emit("engine");
        nowNs += 100 * MS;
        emit("queue_pair");
        assertEquals(2, samples);
    }
}
