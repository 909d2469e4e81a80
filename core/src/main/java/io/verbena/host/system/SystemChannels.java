package io.verbena.host.system;

import java.nio.channels.spi.SelectorProvider;
import java.util.function.Supplier;

/**
 * The channels and selectors of the JDK itself. A program can install a provider whose channels are made of connections of
 * an RNIC; an RNIC that used those would wait for itself. Such a provider is a {@link Supplier} of the one that it stands in
 * front of.
 */
public final class SystemChannels {

    private SystemChannels() {}

    public static SelectorProvider provider() {
        SelectorProvider installed = SelectorProvider.provider();
        return installed instanceof Supplier<?> front && front.get() instanceof SelectorProvider system
                ? system
                : installed;
    }
}
