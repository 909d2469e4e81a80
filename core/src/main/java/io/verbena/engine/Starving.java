package io.verbena.engine;

import java.util.ArrayList;
import java.util.List;

/** Endpoints whose flushed work waits until a CQ has room. They are asked to flush again, less and less often. Used by one engine. */
final class Starving {

    private static final long FIRST_RETRY_NS = 1_000_000;
    private static final long LAST_RETRY_NS = 64_000_000;

    private final EngineHost host;
    private final List<Endpoint> endpoints = new ArrayList<>();
    private long retryNs = FIRST_RETRY_NS;
    private long deadlineNs;

    Starving(EngineHost host) {
        this.host = host;
    }

    boolean isEmpty() {
        return endpoints.isEmpty();
    }

    int size() {
        return endpoints.size();
    }

    void add(Endpoint endpoint) {
        if (!endpoints.contains(endpoint)) {
            if (endpoints.isEmpty()) {
                retryNs = FIRST_RETRY_NS;
                deadlineNs = host.nowNs() + retryNs;
            }
            endpoints.add(endpoint);
        }
    }

    void clear() {
        endpoints.clear();
    }

    /** When {@link #feed} is due, {@link Endpoint#NEVER} if nothing waits. */
    long nextNs() {
        return endpoints.isEmpty() ? Endpoint.NEVER : deadlineNs;
    }

    /** Has all of them flush again. Returns the number of those that are done. */
    int feed(long nowNs) {
        if (endpoints.isEmpty()) {
            return 0;
        }
        int before = endpoints.size();
        for (int i = before - 1; i >= 0; i--) {
            if (fed(endpoints.get(i))) {
                endpoints.remove(i);
            }
        }
        boolean due = nowNs - deadlineNs >= 0;
        if (endpoints.size() < before) {
            retryNs = FIRST_RETRY_NS;
        } else if (due) {
            retryNs = Math.min(retryNs * 2, LAST_RETRY_NS);
        }
        if (due || endpoints.size() < before) {
            deadlineNs = nowNs + retryNs;
        }
        return before - endpoints.size();
    }

    private boolean fed(Endpoint endpoint) {
        try {
            return endpoint.retryFlush();
        } catch (Throwable e) {
            RnicEngine.fail(endpoint, "flushing a queue pair", e, host.nowNs());
            return true;
        }
    }
}
