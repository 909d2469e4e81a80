package io.verbena.sockets.nio;

import java.nio.channels.SelectableChannel;
import java.util.Optional;

/** A channel of this provider, as its selectors see it. */
interface Keyed {

    /** What is ready beyond what a selector of the JDK reports. */
    int readyNow();

    /** The channel of the JDK that a selector of the JDK must watch. */
    Optional<? extends SelectableChannel> innerChannel();

    /**
     * A selector of the JDK has found operations of {@link #innerChannel} ready; returns those to report.
     */
    int onInnerReady(int ops);

    /** A selector of the JDK has forgotten {@link #innerChannel}. */
    void onInnerForgotten();

    ChannelKeys keys();
}
