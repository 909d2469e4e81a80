package io.verbena.host.system;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.util.Set;

/**
 * Ends a wait in a system call when the waiting thread is interrupted. An interrupt is a flag of the JVM, and a system call that
 * is made directly does not see it. The JDK calls {@link #wakeup} of the selector that a thread waits in, so this is a
 * selector without channels that passes the call on.
 */
public final class InterruptibleWait extends AbstractSelector {

    private final Runnable wakeup;

    /**
     * Creates the link between the threads that wait and the call that wakes them.
     *
     * @param wakeup ends the wait that is in progress, or the next one; any thread may call it
     */
    public InterruptibleWait(Runnable wakeup) {
        super(SystemChannels.provider());
        this.wakeup = wakeup;
    }

    /** The calling thread is about to wait. An interrupt that is pending ends the wait at once. */
    public void starts() {
        begin();
    }

    /** The calling thread has waited. */
    public void ended() {
        end();
    }

    @Override
    public Selector wakeup() {
        wakeup.run();
        return this;
    }

    // It selects nothing.

    private static UnsupportedOperationException noChannels() {
        return new UnsupportedOperationException("this selector has no channels");
    }

    @Override
    protected void implCloseSelector() throws IOException {}

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int operations, Object attachment) {
        throw noChannels();
    }

    @Override
    public Set<SelectionKey> keys() {
        return Set.of();
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
        return Set.of();
    }

    @Override
    public int selectNow() {
        throw noChannels();
    }

    @Override
    public int select(long timeoutMs) {
        throw noChannels();
    }

    @Override
    public int select() {
        throw noChannels();
    }
}
