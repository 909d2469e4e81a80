package io.verbena.tools.demo;

import io.verbena.base.Times;
import io.verbena.tools.base.Failure;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.Latencies;
import io.verbena.tools.text.ProgressBar;
import java.time.Duration;

/** One solicited Send after the other, each answered by the server's handler: the time is a round trip. */
final class MessageStage {

    private static final String NAME = "Notified Send";

    private final DemoLink link;
    private final Latencies latencies = new Latencies();

    MessageStage(DemoLink link) {
        this.link = link;
    }

    StageFigures run(Bars bars, Duration span) throws Failure {
        long spanNs = Times.nanos(span);
        ProgressBar bar = bars.start(NAME, spanNs);
        long startNs = System.nanoTime();
        long durationNs = 0;
        try {
            for (long number = 1; number == 1 || durationNs < spanNs; number++) {
                link.sync(number, "the answer to a Send");
                long soFarNs = System.nanoTime() - startNs;
                latencies.record(soFarNs - durationNs);
                durationNs = soFarNs;
                bar.update(soFarNs, startNs + soFarNs, () -> perSecond(soFarNs));
            }
        } catch (Failure | RuntimeException e) {
            bar.clear();
            throw e;
        }
        StageFigures figures = new StageFigures(NAME, "send", latencies.count(), 0, durationNs, latencies);
        bar.finish(figures.sentence() + " (round trips)");
        return figures;
    }

    private String perSecond(long durationNs) {
        return Figures.perSecond(Figures.rate(latencies.count(), durationNs));
    }
}
