package io.verbena.sockets.nio.select;

import java.nio.channels.SelectableChannel;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A channel of this provider, as its selectors see it. */
public interface Keyed {

    /** What is ready beyond what a selector of the JDK reports. */
    int readyNow();

    /** The channel of the JDK that a selector of the JDK must watch. */
    Optional<? extends SelectableChannel> innerChannel();

    /**
     * A selector of the JDK has found operations of {@link #innerChannel} ready; returns those to report.
     */
    int onInnerReady(int ops);

    /** What the selector of the JDK watches {@link #innerChannel} for, if the program is interested in these operations. */
    default int innerInterest(int interest) {
        return interest;
    }

    /**
     * Whether no thread signals when the channel becomes ready for one of these operations: the selector must look at it in each selection, until it has
     * called {@link #sleepFor}, or {@link MemorySleeper#sleepIn} if it waits in memory.
     */
    default boolean mustBeLookedAt(int interest, boolean inMemory) {
        return false;
    }

    /** The channel signals for these operations from now on. The selector looks at it once more after that. */
    default void sleepFor(int interest) {}

    /** The rings that carry the channel; null if it is not carried so. Each selection asks for it, so that no object is made for the answer. */
    default @Nullable MemorySleeper rings() {
        return null;
    }

    /** A selector of the JDK has forgotten {@link #innerChannel}. */
    void onInnerForgotten();

    ChannelKeys keys();
}
