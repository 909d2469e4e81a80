package io.verbena.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.verbena.verbs.Figures;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicFigures;
import io.verbena.verbs.RnicOptions;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The meters of an RNIC. */
class RnicMetricsTest {

    private static final long SECOND = 1_000_000_000;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final AtomicReference<Figures> figures = new AtomicReference<>(rnic("OPEN", 0));
    private final AtomicLong nowNs = new AtomicLong();

    private static Figures rnic(String state, int queuePairs) {
        Figures.Builder rnic = Figures.of("rnic").text("state", state).value(RnicFigures.QUEUE_PAIRS, queuePairs);
        for (int i = 0; i < queuePairs; i++) {
            rnic.part(Figures.of("queue_pair")
                    .identity("number", i)
                    .value(RnicFigures.IO, "transmit", 4096)
                    .value(RnicFigures.ROUND_TRIP, 2_000_000)
                    .build());
        }
        return rnic.part(Figures.of("event")
                        .identity("number", 1)
                        .value(RnicFigures.EVENT_AGE, 1)
                        .build())
                .build();
    }

    private void bind() {
        new RnicMetrics(figures::get, Tags.of("rnic", "a"), nowNs::get).bindTo(registry);
    }

    /** A monitoring system reads all meters after this time. */
    private void readAfter(long ns) {
        nowNs.addAndGet(ns);
        registry.getMeters().forEach(meter -> meter.measure().forEach(measurement -> measurement.getValue()));
    }

    private boolean has(String name) {
        return registry.find(name).meter() != null;
    }

    @Test
    void queuePair_createdAndDestroyed_hasMetersMeanwhile() {
        bind();
        assertFalse(has("verbena.queue_pair.io"));
        figures.set(rnic("OPEN", 2));
        readAfter(SECOND);
        Tags second = Tags.of("rnic", "a", "queue_pair.number", "1");
        assertEquals(
                4096,
                registry.get("verbena.queue_pair.io")
                        .tags(second.and("direction", "transmit"))
                        .functionCounter()
                        .count());
        assertEquals(
                0.002,
                registry.get("verbena.connection.round_trip")
                        .tags(second)
                        .gauge()
                        .value());
        figures.set(rnic("OPEN", 0));
        readAfter(SECOND);
        assertFalse(has("verbena.queue_pair.io"));
        assertFalse(has("verbena.event.age"));
    }

    @Test
    void rnic_closed_disappears() {
        bind();
        assertTrue(has("verbena.rnic.queue_pairs"));
        figures.set(rnic("CLOSED", 1));
        readAfter(SECOND);
        assertTrue(registry.getMeters().isEmpty(), () -> registry.getMeters().toString());
    }

    @Test
    void meters_readTogether_shareASample() {
        bind();
        figures.set(rnic("OPEN", 1));
        readAfter(SECOND - 1);
        assertFalse(has("verbena.queue_pair.io"));
        readAfter(1);
        assertTrue(has("verbena.queue_pair.io"));
    }

    @Test
    void units_areThoseOfMicrometer() {
        figures.set(rnic("OPEN", 1));
        bind();
        assertEquals(
                "bytes", registry.get("verbena.queue_pair.io").meter().getId().getBaseUnit());
        assertEquals(
                "seconds",
                registry.get("verbena.connection.round_trip").meter().getId().getBaseUnit());
    }

    @Test
    void example_ofARealRnic_works() {
        try (Rnic rnic = Rnic.open(RnicOptions.defaults())) {
            new RnicMetrics(rnic, Tags.of("rnic", "storage")).bindTo(registry);
            assertEquals(0, registry.get("verbena.rnic.queue_pairs").gauge().value());
            assertTrue(has("verbena.engine.rounds"));
        }
    }
}
