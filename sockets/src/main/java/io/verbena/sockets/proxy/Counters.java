package io.verbena.sockets.proxy;

import java.util.concurrent.atomic.AtomicLong;

/** Counts for {@link ProxyFigures}: one thread counts, any thread reads. */
final class Counters {

    final AtomicLong open = new AtomicLong();
    final AtomicLong accepted = new AtomicLong();
    final AtomicLong refused = new AtomicLong();
    final AtomicLong failed = new AtomicLong();
    final AtomicLong plain = new AtomicLong();
    final AtomicLong bytesToTarget = new AtomicLong();
    final AtomicLong bytesToClients = new AtomicLong();

    ProxyFigures figures() {
        return new ProxyFigures(
                new ProxyFigures.Connections(open.get(), accepted.get(), refused.get(), failed.get(), plain.get()),
                bytesToTarget.get(),
                bytesToClients.get());
    }
}
