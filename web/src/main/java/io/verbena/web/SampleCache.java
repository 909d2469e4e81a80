package io.verbena.web;

import io.verbena.base.Times;
import io.verbena.verbs.Figures;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The latest sample. A request that needs a newer one takes it, at most once per interval; all requests share it. */
final class SampleCache {

    /**
     * One sample.
     *
     * @param processes figures of each process
     * @param json the same as JSON
     */
    record Sample(long number, List<Figures> processes, byte[] json) {}

    private final Supplier<List<Figures>> source;
    private final long intervalNs;
    private final LongSupplier clockNs;
    private Optional<Sample> latest = Optional.empty();
    private long takenNs;

    SampleCache(Supplier<List<Figures>> source, Duration interval, LongSupplier clockNs) {
        this.source = source;
        this.intervalNs = Times.nanos(interval);
        this.clockNs = clockNs;
    }

    /** A sample that is not older than the interval. */
    synchronized Sample sample() {
        long nowNs = clockNs.getAsLong();
        if (latest.isEmpty() || nowNs - takenNs >= intervalNs) {
            List<Figures> processes = source.get();
            long number = latest.map(Sample::number).orElse(0L) + 1;
            StringBuilder json = new StringBuilder("{\"number\":")
                    .append(number)
                    .append(",\"timeNs\":")
                    .append(nowNs);
            json.append(",\"processes\":");
            FiguresJson.write(json, processes);
            json.append('}');
            latest = Optional.of(new Sample(number, processes, json.toString().getBytes(StandardCharsets.UTF_8)));
            takenNs = nowNs;
        }
        return latest.get();
    }
}
