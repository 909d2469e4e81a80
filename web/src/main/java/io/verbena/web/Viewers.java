package io.verbena.web;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;

/**
 * Pages that receive each new sample as a Server-Sent Event. There is no queue: a viewer takes the latest sample when it has written the
 * one before. A viewer that does not take a sample within the patience of the options is dropped.
 */
final class Viewers {

    private static final byte[] BEFORE = bytes("data: ");
    private static final byte[] AFTER = bytes("\n\n");

    private final WebOptions options;
    private final RequestThreads threads;
    private final Semaphore places;

    Viewers(WebOptions options, RequestThreads threads) {
        this.options = options;
        this.threads = threads;
        places = new Semaphore(options.viewers());
    }

    int size() {
        return options.viewers() - places.availablePermits();
    }

    /** Sends samples until the viewer leaves or the server is closed. In the thread of the request. */
    void serve(Exchange exchange, SampleCache<?> samples) throws IOException {
        if (!places.tryAcquire()) {
            exchange.send(Answer.refused(503, "All places for pages are taken: close another page."));
            return;
        }
        try {
            send(exchange.begin("text/event-stream"), samples);
        } catch (InterruptedException e) {
            // The server is closed, which interrupts its threads; the thread ends with this request.
            Thread.currentThread().interrupt();
        } finally {
            places.release();
        }
    }

    private void send(OutputStream out, SampleCache<?> samples) throws IOException, InterruptedException {
        long seen = 0;
        do {
            SampleCache.Sample<?> sample = samples.sample();
            if (sample.number() > seen) {
                seen = sample.number();
                threads.extend();
                out.write(BEFORE);
                out.write(sample.json());
                out.write(AFTER);
                out.flush();
            }
            threads.extend();
        } while (!threads.closedWithin(options.interval()));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
