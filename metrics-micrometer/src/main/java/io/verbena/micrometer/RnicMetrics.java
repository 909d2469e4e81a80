package io.verbena.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.verbena.verbs.Figures;
import io.verbena.verbs.Rnic;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The figures of an RNIC as meters. Names, meanings and attributes are those of docs/observing.md; times are in seconds. The identities of an
 * object are tags such as {@code queue_pair.number}.
 *
 * <pre>{@code
 * new RnicMetrics(rnic, Tags.of("rnic", "storage")).bindTo(registry);
 * }</pre>
 *
 * <p>When the RNIC has been closed, its meters are removed from the registry at the next reading. The registry keeps the RNIC from being garbage
 * until then.
 */
public final class RnicMetrics implements MeterBinder {

    private static final long INTERVAL_NS = 1_000_000_000L;

    private final Supplier<Figures> source;
    private final Tags tags;
    private final LongSupplier clockNs;

    /**
     * Meters of an RNIC.
     *
     * @param tags tags of all meters; they must distinguish the RNIC from others that are bound to the same registry
     */
    public RnicMetrics(Rnic rnic, Iterable<Tag> tags) {
        this(rnic::figures, Tags.of(tags), System::nanoTime);
    }

    RnicMetrics(Supplier<Figures> source, Tags tags, LongSupplier clockNs) {
        this.source = source;
        this.tags = tags;
        this.clockNs = clockNs;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        new BoundRnic(registry, source, tags, new SampleClock(clockNs, INTERVAL_NS)).refresh();
    }
}
