package io.verbena.tools.messaging;

import io.verbena.messaging.channel.ChannelOptions;
import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.policy.Phase;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.ProgressBar;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;

/** Measures the memory that channels register for their buffers: enlarged as needed, idle again, and all large from the start. */
public final class ChannelMemory {

    private static final int SAMPLE = 16;
    private static final long SHRINK_NS = 20_000_000_000L;

    private final ChannelOptions options;
    private final BiFunction<String, Integer, ProgressBar> bars;
    private final StopSignal stop;

    /**
     * What was measured.
     *
     * @param name of the case
     * @param bytes registered for a connection, both sides together
     */
    public record Row(String name, double bytes, String remark) {}

    /**
     * A measurement of channels with these options.
     *
     * @param bars makes a bar from a label and the number of steps
     */
    public ChannelMemory(ChannelOptions options, BiFunction<String, Integer, ProgressBar> bars, StopSignal stop) {
        this.options = options;
        this.bars = bars;
        this.stop = stop;
    }

    /** Measures this number of connections, on each of which this number of messages goes there and back. */
    public List<Row> measure(int connections, int messages, SizeMix sizes, Random random) throws Exception {
        List<Row> rows = new ArrayList<>();
        double small = enlarged(rows, connections, messages, sizes, random);
        shrunk(rows, connections, small);
        EnlargementPolicy large = EnlargementPolicy.of(Phase.of(largest()));
        try (ManyChannels many = channels(large)) {
            connect(many, Math.min(connections, SAMPLE), "All large");
            rows.add(new Row("without enlargement", many.bytesEach(), "all large from the start"));
        }
        for (RingDesign design : RingDesign.all()) {
            rows.add(new Row(design.name(), design.bytes(), design.remark()));
        }
        return rows;
    }

    /** Returns the bytes of a connection that carries small messages only. */
    private double enlarged(List<Row> rows, int connections, int messages, SizeMix sizes, Random random)
            throws Exception {
        int smallest = Math.min(8, options.policy().firstPayloadBytes());
        try (ManyChannels many = channels(options.policy())) {
            connect(many, connections, "Connections");
            for (int i = 0; i < connections; i++) {
                many.roundTrip(i, smallest);
            }
            double small = many.bytesEach();
            rows.add(new Row("control and small data only", small, "after a message there and back on each"));
            for (int i = 0; i < connections; i++) {
                for (int k = 0; k < messages; k++) {
                    many.roundTrip(i, sizes.draw(random));
                }
            }
            rows.add(new Row(
                    "after the mix " + sizes,
                    many.bytesEach(),
                    messages + " messages a connection, " + Figures.count(many.enlargements()) + " enlargements"));
            return small;
        }
    }

    private void shrunk(List<Row> rows, int connections, double small) throws Exception {
        try (ManyChannels many = channels(options.policy().withShrinkAfter(Duration.ofMillis(200)))) {
            connect(many, Math.min(connections, 4 * SAMPLE), "Shrinking");
            for (int i = 0; i < many.connections(); i++) {
                many.roundTrip(i, largest());
            }
            if (!many.idleUntil((long) Math.ceil(small), SHRINK_NS)) {
                throw new Failure("The idle channels did not shrink in time");
            }
            rows.add(new Row("enlarged once, then idle", many.bytesEach(), "the shrink policy is on"));
        }
    }

    private int largest() {
        return options.policy().lastPayloadBytes();
    }

    private ManyChannels channels(EnlargementPolicy policy) throws Exception {
        return new ManyChannels(options.withPolicy(policy), largest(), stop);
    }

    private void connect(ManyChannels many, int count, String what) throws Failure {
        ProgressBar bar = bars.apply(what, count);
        try {
            many.connect(count, bar);
        } finally {
            bar.clear();
        }
    }
}
