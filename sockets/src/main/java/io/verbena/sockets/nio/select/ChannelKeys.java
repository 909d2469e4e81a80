package io.verbena.sockets.nio.select;

import java.util.Arrays;
import java.util.stream.Stream;

/** The keys of one channel: usually one, one for each selector. */
public final class ChannelKeys {

    private static final VerbenaKey[] NONE = {};

    private volatile VerbenaKey[] keys = NONE;

    public synchronized void add(VerbenaKey key) {
        keys = Stream.concat(Arrays.stream(keys), Stream.of(key)).toArray(VerbenaKey[]::new);
    }

    public synchronized void remove(VerbenaKey key) {
        keys = Arrays.stream(keys).filter(any -> any != key).toArray(VerbenaKey[]::new);
    }

    /** The selectors look at the channel. */
    public void signal() {
        for (VerbenaKey key : keys) {
            key.signal();
        }
    }

    /**
     * Keys that were cancelled leave the selector of the JDK at once, because the channel may be made blocking before its
     * selector runs again.
     */
    public void dropInvalid() {
        for (VerbenaKey key : keys) {
            if (!key.isValid()) {
                key.dropInner();
            }
        }
    }
}
