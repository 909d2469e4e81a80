package io.verbena.sockets.nio;

import java.nio.channels.spi.SelectorProvider;

/** Finds the provider of the JDK, which no public method returns when another one is installed. */
final class JdkProvider {

    private static final String NAME = "sun.nio.ch.DefaultSelectorProvider";

    private JdkProvider() {}

    /** The provider of the JDK. Not to be called while the JVM looks for its provider. */
    static SelectorProvider find() {
        SelectorProvider provider = SelectorProvider.provider();
        if (!(provider instanceof VerbenaSelectorProvider)) {
            return provider;
        }
        try {
            // By its name only: the type that the method returns differs between JDKs.
            return (SelectorProvider) Class.forName(NAME).getMethod("get").invoke(NAME);
        } catch (IllegalAccessException e) {
            Module own = JdkProvider.class.getModule();
            throw new IllegalStateException(
                    "The provider of the JDK is not accessible: start the JVM with --add-exports=java.base/sun.nio.ch="
                            + (own.isNamed() ? own.getName() : "ALL-UNNAMED") + ".",
                    e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This JDK has no " + NAME + ".get().", e);
        }
    }
}
