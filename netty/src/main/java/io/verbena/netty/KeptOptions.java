package io.verbena.netty;

import io.netty.channel.ChannelOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The values of options that Netty itself does not keep. Any thread sets and reads them. */
final class KeptOptions {

    private final Map<ChannelOption<?>, Object> values;

    /** Only these options, which begin with these values. */
    KeptOptions(Map<ChannelOption<?>, Object> first) {
        values = new ConcurrentHashMap<>(first);
    }

    ChannelOption<?>[] options() {
        return values.keySet().toArray(ChannelOption[]::new);
    }

    boolean has(ChannelOption<?> option) {
        return values.containsKey(option);
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // the value of an option has its type, and these options have values
    <T> T value(ChannelOption<T> option) {
        return (T) values.get(option);
    }

    <T> void set(ChannelOption<T> option, T value) {
        values.put(option, value);
    }
}
