package io.verbena.sockets.agent;

import io.verbena.sockets.nio.LeftOut;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.Map;
import java.util.Optional;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the names of classes when they are loaded; no class is changed. The native transports of Netty are switched off before they are
 * initialized, under every name that they have been given: many programs contain a Netty whose packages and properties have a prefix, such as
 * {@code io.grpc.netty.shaded}. What cannot be carried is stated once, and in the figures.
 */
final class ClassWatch implements ClassFileTransformer {

    /** The classes that decide whether a native transport is used, by what follows the prefix. */
    private static final Map<String, String> TRANSPORTS = Map.of(
            "io/netty/channel/epoll/Epoll", "epoll",
            "io/netty/channel/kqueue/KQueue", "kqueue",
            "io/netty/channel/uring/IoUring", "io_uring",
            "io/netty/incubator/channel/uring/IOUring", "io_uring");

    private static final String NO_NATIVE = "io.netty.transport.noNative";

    private static final String ASYNCHRONOUS = "sun/nio/ch/UnixAsynchronousSocketChannelImpl";
    private static final String ASYNCHRONOUS_SERVER = "sun/nio/ch/UnixAsynchronousServerSocketChannelImpl";

    private final Consumer<String> say;

    /** Passes sentences on. */
    ClassWatch(Consumer<String> say) {
        this.say = say;
    }

    @Override
    public byte @Nullable [] transform(
            @Nullable ClassLoader loader,
            @Nullable String name,
            @Nullable Class<?> type,
            @Nullable ProtectionDomain domain,
            byte[] bytes) {
        if (name == null) {
            return null;
        }
        if (name.equals(ASYNCHRONOUS) || name.equals(ASYNCHRONOUS_SERVER)) {
            leaveOut("asynchronous channels", "the JDK opens them without a provider");
        } else if (name.contains("io/netty/")) {
            transport(name).ifPresent(transport -> switchOff(name, transport, bytes));
        }
        return null;
    }

    private static Optional<String> transport(String name) {
        return TRANSPORTS.entrySet().stream()
                .filter(each -> name.equals(each.getKey()) || name.endsWith("/" + each.getKey()))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    private void switchOff(String name, String transport, byte[] bytes) {
        String shown = "native transport " + transport + " of " + name.replace('/', '.');
        Optional<String> property = property(bytes);
        if (property.isEmpty()) {
            leaveOut(shown, "it has no property that switches it off");
            return;
        }
        System.getProperties().putIfAbsent(property.get(), "true");
        if (!Boolean.parseBoolean(System.getProperty(property.get()))) {
            leaveOut(shown, "the property " + property.get() + " is " + System.getProperty(property.get()));
        }
    }

    /** The property that the class reads. Tools that change the names of packages change that of the property, too, or do not. */
    static Optional<String> property(byte[] bytes) {
        return StreamSupport.stream(
                        Spliterators.spliteratorUnknownSize(
                                ClassFile.of().parse(bytes).constantPool().iterator(), 0),
                        false)
                .mapMulti((PoolEntry entry, Consumer<String> found) -> {
                    if (entry instanceof StringEntry text) {
                        found.accept(text.stringValue());
                    }
                })
                .filter(text -> text.endsWith(NO_NATIVE))
                .findFirst();
    }

    private void leaveOut(String what, String why) {
        if (LeftOut.add(what, why)) {
            say.accept("TCP carries " + what + ": " + why + ".");
        }
    }
}
