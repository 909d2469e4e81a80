package io.verbena.tools.perftest;

import io.verbena.tools.base.Failure;
import io.verbena.tools.text.Latencies;

/** The messages of a measurement, in the order in which the programs of perftest send and await them. */
final class PerftestMessages {

    private final PerftestSettings settings;
    private final PerftestEnd end;

    PerftestMessages(PerftestSettings settings, PerftestEnd end) {
        this.settings = settings;
        this.end = end;
    }

    // Bandwidth.

    /** Keeps as many messages under way as the depth permits, until all are complete. */
    void stream() throws Failure {
        long posted = 0;
        for (long done = 0; done < settings.messages().iterations(); ) {
            while (posted < settings.messages().iterations()
                    && posted - done < settings.messages().depth()
                    && end.granted(posted)
                    && end.post(posted)) {
                posted++;
            }
            if (posted == done) {
                end.awaitGrant(posted);
            } else {
                end.sent();
                done++;
            }
        }
    }

    /** Returns when the first message came. */
    long receiveAll() throws Failure {
        long firstNs = 0;
        for (long received = 0; received < settings.messages().iterations(); ) {
            if (end.nextIsReceive()) {
                received++;
                firstNs = received == 1 ? System.nanoTime() : firstNs;
                end.postReceive();
                end.grant(received);
            }
        }
        return firstNs;
    }

    // Latency.

    /** Measures Reads or atomics, one at a time. */
    void requestOneByOne(Latencies latencies) throws Failure {
        for (long i = 0; i < settings.messages().iterations(); i++) {
            long startNs = System.nanoTime();
            end.post(i);
            end.sent();
            latencies.record(System.nanoTime() - startNs);
        }
    }

    /**
     * Each side writes a count to the last byte of the other's memory and waits for that of the other. The server begins, as in
     * ib_write_lat.
     */
    void pingPongByMemory(boolean client, Latencies latencies) throws Failure {
        long sentNs = 0;
        for (long i = 1; i <= settings.messages().iterations(); i++) {
            if (client) {
                end.awaitByte((byte) i);
                if (i > 1) {
                    latencies.record((System.nanoTime() - sentNs) / 2);
                }
            }
            end.set((byte) i);
            sentNs = System.nanoTime();
            end.post(i);
            end.sent();
            if (!client) {
                end.awaitByte((byte) i);
                latencies.record((System.nanoTime() - sentNs) / 2);
            }
        }
    }

    /** Each side answers a Send with one of its own. */
    void pingPongByMessages(boolean client, Latencies latencies) throws Failure {
        MessageCompletions completions = new MessageCompletions(end::nextIsReceive);
        for (long i = 0; i < settings.messages().iterations(); i++) {
            long startNs = System.nanoTime();
            if (client) {
                end.post(i);
            }
            completions.awaitReceived();
            end.postReceive();
            if (!client) {
                end.post(i);
            }
            completions.awaitSent();
            if (client) {
                latencies.record((System.nanoTime() - startNs) / 2);
            }
        }
    }
}
