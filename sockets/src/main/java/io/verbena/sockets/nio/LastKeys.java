package io.verbena.sockets.nio;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A further key, without interest, of each channel of the JDK in one of our selectors. A closed channel of the JDK gives its descriptor
 * back when its last key leaves a selector of the JDK. The selector in which ours waits forgets its key as soon as the wait ends, when
 * the channel still has our key: so the key that leaves last is one of a selector in which no thread waits.
 *
 * <p>Registering holds the locks of the channel, which a selector of the JDK takes when it selects or closes; so the lock of this
 * class is held during none of them.
 */
final class LastKeys {

    private final SelectorProvider jdk;
    private final Object lock = new Object();

    // With the lock.
    private Optional<Selector> selector = Optional.empty();
    private boolean closed;

    /** Channels that came back before the selector has forgotten them. */
    private final Queue<SelectableChannel> returning = new ConcurrentLinkedQueue<>();

    LastKeys(SelectorProvider jdk) {
        this.jdk = jdk;
    }

    /** A channel is registered with our selector. */
    void add(SelectableChannel channel) {
        Optional<Selector> opened = opened();
        if (opened.isEmpty()) {
            return; // the registration with our selector fails as well
        }
        try {
            channel.register(opened.get(), 0);
        } catch (CancelledKeyException _) {
            returning.add(channel);
        } catch (ClosedChannelException | IllegalBlockingModeException | ClosedSelectorException _) {
            return; // meanwhile: the registration with our selector fails as well
        }
    }

    private Optional<Selector> opened() {
        synchronized (lock) {
            if (selector.isEmpty() && !closed) {
                try {
                    selector = Optional.of(jdk.openSelector());
                } catch (IOException e) {
                    throw new UncheckedIOException("A selector of the JDK cannot be opened.", e);
                }
            }
            return selector;
        }
    }

    private Optional<Selector> known() {
        synchronized (lock) {
            return selector;
        }
    }

    /** A channel has left our selector; {@link #forget} follows. */
    void remove(SelectableChannel channel) {
        returning.remove(channel);
        known().map(channel::keyFor).ifPresent(SelectionKey::cancel);
    }

    /** The channels that were removed give their descriptors back, if they are closed. */
    void forget() throws IOException {
        Optional<Selector> opened = known();
        if (opened.isPresent()) {
            opened.get().selectNow();
        }
        addReturning();
    }

    /** Adds the channels that came back too early. Of the thread that selects. */
    void addReturning() {
        for (int left = returning.size(); left > 0; left--) { // one that comes too early again waits for the next time
            SelectableChannel channel = returning.poll();
            if (channel != null) {
                add(channel);
            }
        }
    }

    /** Our selector is closed, and its keys are removed. */
    void close() throws IOException {
        Optional<Selector> last;
        synchronized (lock) {
            closed = true;
            last = selector;
        }
        if (last.isPresent()) {
            last.get().close();
        }
    }
}
