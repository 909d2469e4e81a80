package io.verbena.sockets.nio.select;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A further key, without interest, of each channel of the JDK in one of our selectors. A closed channel of the JDK gives its descriptor
 * back when its last key leaves a selector of the JDK. The selector in which ours waits forgets its key as soon as the wait ends, when
 * the channel still has our key: so the key that leaves last is one of a selector in which no thread waits.
 *
 * <p>The selector is opened with ours: registering a channel opens no descriptor.
 */
public final class LastKeys {

    private final Selector selector;

    /** Channels that came back before the selector has forgotten them. */
    private final Queue<SelectableChannel> returning = new ConcurrentLinkedQueue<>();

    public LastKeys(SelectorProvider jdk) throws IOException {
        selector = jdk.openSelector();
    }

    /** A channel is registered with our selector. */
    public void add(SelectableChannel channel) {
        try {
            channel.register(selector, 0);
        } catch (CancelledKeyException _) {
            returning.add(channel);
        } catch (ClosedChannelException | IllegalBlockingModeException | ClosedSelectorException _) {
            return; // meanwhile: the registration with our selector fails as well
        }
    }

    /** A channel has left our selector; {@link #forget} follows. */
    public void remove(SelectableChannel channel) {
        returning.remove(channel);
        SelectionKey last = channel.keyFor(selector);
        if (last != null) {
            last.cancel();
        }
    }

    /** The channels that were removed give their descriptors back, if they are closed. */
    public void forget() throws IOException {
        if (!selector.keys().isEmpty()) {
            selector.selectNow();
        }
        addReturning();
    }

    /** Adds the channels that came back too early. Of the thread that selects. */
    public void addReturning() {
        for (int left = returning.size(); left > 0; left--) { // one that comes too early again waits for the next time
            SelectableChannel channel = returning.poll();
            if (channel != null) {
                add(channel);
            }
        }
    }

    /** Our selector is closed, and its keys are removed. */
    public void close() throws IOException {
        selector.close();
    }
}
