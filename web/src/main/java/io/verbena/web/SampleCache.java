package io.verbena.web;

import io.verbena.base.Times;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The latest sample. A request that needs a newer one takes it, at most once per interval; all requests share it.
 *
 * @param <T> what a sample consists of
 */
final class SampleCache<T> {

    /**
     * One sample.
     *
     * @param content what was taken
     * @param json the same as JSON
     */
    record Sample<T>(long number, T content, byte[] json) {}

    /** Writes a sample as JSON. */
    interface Json<T> {
        String text(long number, long timeNs, T content);
    }

    private final Supplier<T> source;
    private final Json<T> json;
    private final long intervalNs;
    private final LongSupplier clockNs;
    private Optional<Sample<T>> latest = Optional.empty();
    private long takenNs;

    SampleCache(Supplier<T> source, Json<T> json, Duration interval, LongSupplier clockNs) {
        this.source = source;
        this.json = json;
        this.intervalNs = Times.nanos(interval);
        this.clockNs = clockNs;
    }

    /** A sample that is not older than the interval. */
    synchronized Sample<T> sample() {
        long nowNs = clockNs.getAsLong();
        if (latest.isEmpty() || nowNs - takenNs >= intervalNs) {
            T content = source.get();
            long number = latest.map(Sample::number).orElse(0L) + 1;
            byte[] text = json.text(number, nowNs, content).getBytes(StandardCharsets.UTF_8);
            latest = Optional.of(new Sample<>(number, content, text));
            takenNs = nowNs;
        }
        return latest.get();
    }
}
