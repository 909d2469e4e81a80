package io.verbena.sockets.nio;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Optional;

/**
 * A further key, without interest, of each channel of the JDK in one of our selectors. A closed channel of the JDK gives its descriptor
 * back when its last key leaves a selector of the JDK. The selector in which ours waits forgets its key as soon as the wait ends, when
 * the channel still has our key: so the key that leaves last is one of a selector in which no thread waits.
 */
final class LastKeys {

    private final SelectorProvider jdk;
    private Optional<Selector> selector = Optional.empty();

    LastKeys(SelectorProvider jdk) {
        this.jdk = jdk;
    }

    /** A channel is registered with our selector. */
    synchronized void add(SelectableChannel channel) {
        try {
            Selector opened = selector.isPresent() ? selector.get() : jdk.openSelector();
            selector = Optional.of(opened);
            try {
                channel.register(opened, 0);
            } catch (CancelledKeyException _) { // it has left our selector, and comes back
                opened.selectNow();
                channel.register(opened, 0);
            }
        } catch (ClosedChannelException | IllegalBlockingModeException _) {
            return; // meanwhile: the registration with our selector fails as well
        } catch (IOException e) {
            throw new UncheckedIOException("A selector of the JDK cannot be opened.", e);
        }
    }

    /** A channel has left our selector; {@link #forget} follows. */
    synchronized void remove(SelectableChannel channel) {
        selector.map(channel::keyFor).ifPresent(SelectionKey::cancel);
    }

    /** The channels that were removed give their descriptors back, if they are closed. */
    synchronized void forget() throws IOException {
        if (selector.isPresent()) {
            selector.get().selectNow();
        }
    }

    /** Our selector is closed, and its keys are removed. */
    synchronized void close() throws IOException {
        if (selector.isPresent()) {
            selector.get().close();
        }
    }
}
