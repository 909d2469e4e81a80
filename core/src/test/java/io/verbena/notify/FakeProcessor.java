package io.verbena.notify;

import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.EventAddress;
import io.verbena.verbs.EventSource;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Set;

/** A processor without a thread: the test serves what is signalled. */
final class FakeProcessor implements HandlerProcessor {

    /** Whether handlers get an address of their own. */
    boolean addresses = true;

    /** What a call throws: "attach", "signal", "detach"; empty for nothing. */
    String failing = "";

    /** Handlers that it accepts. */
    int places = Integer.MAX_VALUE;

    final ArrayDeque<Runnable> work = new ArrayDeque<>();
    final ArrayDeque<EventSource> signalled = new ArrayDeque<>();
    int attached;
    int detached;
    HandlerOptions options = HandlerOptions.defaults();

    private void fail(String call) {
        if (failing.equals(call)) {
            throw new AssertionError("on purpose");
        }
    }

    @Override
    public void signal(CqHandlerId handler, Runnable wanted) {
        fail("signal");
        work.add(wanted);
    }

    @Override
    public Optional<EventAddress> attach(CqHandlerId handler, HandlerOptions initial, EventSource source) {
        fail("attach");
        if (attached == places) {
            throw new AssertionError("no place");
        }
        attached++;
        options = initial;
        return addresses ? Optional.of(new Address(source)) : Optional.empty();
    }

    @Override
    public Set<Integer> cores() {
        return Set.of(3, 4);
    }

    /** Serves one event of each handler that is signalled; one that has more is signalled again. Returns their number. */
    int serve() {
        int served = 0;
        for (int left = signalled.size(); left > 0; left--) {
            EventSource source = signalled.remove();
            served++;
            if (source.serve() && !signalled.contains(source)) {
                signalled.add(source);
            }
        }
        for (int left = work.size(); left > 0; left--) {
            served++;
            work.remove().run();
        }
        return served;
    }

    private final class Address implements EventAddress {
        private final EventSource source;

        Address(EventSource source) {
            this.source = source;
        }

        @Override
        public void signal() {
            fail("signal");
            if (!signalled.contains(source)) {
                signalled.add(source);
            }
        }

        @Override
        public void options(HandlerOptions wanted) {
            options = wanted;
        }

        @Override
        public void detach() {
            detached++;
            fail("detach");
        }
    }
}
