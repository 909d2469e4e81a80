package io.verbena.notify;

import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.Notification;
import io.verbena.verbs.Rnic;
import java.time.Duration;
import java.util.Optional;

/** A CQ of which only the entries are not real: the test says which are there. */
final class FakeCq implements CompletionSource {

    private final int number;
    private final CqNotifier notifier;

    /** Causes of entries that are not polled. */
    int causes;

    /** Whether there is an entry that is not polled. */
    boolean any;

    boolean closed;
    long polled;
    int ended;

    FakeCq(int number, boolean solicitedAlwaysSignals) {
        this.number = number;
        notifier = new CqNotifier(this, new NotificationFlow(solicitedAlwaysSignals));
    }

    FakeCq(int number) {
        this(number, false);
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public CqNotifier notifier() {
        return notifier;
    }

    @Override
    public boolean holdsAny() {
        return any;
    }

    @Override
    public boolean holds(int wanted) {
        return (causes & wanted) != 0;
    }

    @Override
    public long polled() {
        return polled;
    }

    @Override
    public boolean closed() {
        return closed;
    }

    @Override
    public void handlerEnded() {
        ended++;
    }

    @Override
    public String toString() {
        return "cq " + number;
    }

    // What notification does not use.

    @Override
    public Rnic rnic() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionCursor cursor() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean await(Duration timeout) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void requestNotification(Notification kind) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void handler(Optional<CqHandlerId> handler) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<CqHandlerId> handler() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void onReady(Optional<Runnable> ready) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void resize(int capacity) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int capacity() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int size() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean overflowed() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        closed = true;
        notifier.close();
    }
}
