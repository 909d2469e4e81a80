package io.verbena.tools.perf;

import io.verbena.tools.text.Figures;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Connections that leave their transport at given times, as if it had failed, and survive that. */
public final class TransportCuts implements Disturbance {

    private static final Pattern TEXT = Pattern.compile("(\\d{1,4}(?:\\.\\d{1,6})?)s");

    private final List<Long> timesNs;
    private final Runnable migrate;
    private int done;

    /**
     * Cuts of the transport.
     *
     * @param timesNs times from the beginning of the measurement
     * @param migrate makes all connections leave their transport
     */
    public TransportCuts(List<Long> timesNs, Runnable migrate) {
        this.timesNs = timesNs.stream().sorted().toList();
        this.migrate = migrate;
    }

    /** Reads a time such as {@code 2s} or {@code 2.5s}, in nanoseconds. */
    public static Optional<Long> parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        return matcher.matches()
                ? Optional.of(Math.round(Double.parseDouble(matcher.group(1)) * 1e9))
                : Optional.empty();
    }

    @Override
    public String option() {
        return "--survive";
    }

    @Override
    public String subject() {
        return "throughput";
    }

    @Override
    public List<Cut> cuts() {
        return timesNs.stream()
                .map(it -> new Cut(it / 1e9 + "s", "Transport, cut at " + Figures.seconds(it), it, Long.MAX_VALUE))
                .toList();
    }

    @Override
    public double rest() {
        return 1;
    }

    @Override
    public void at(long timeNs) {
        while (done < timesNs.size() && timesNs.get(done) <= timeNs) {
            done++;
            migrate.run();
        }
    }
}
