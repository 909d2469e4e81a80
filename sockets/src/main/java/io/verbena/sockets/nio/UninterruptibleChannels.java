package io.verbena.sockets.nio;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractInterruptibleChannel;

/**
 * Channels for {@code java.net.Socket} and {@code ServerSocket}. An interrupt closes a channel in which a thread waits, but not a socket, except if
 * the thread is virtual. So the interruptor of such a channel is replaced by one that knows the difference. This needs the package {@code
 * java.nio.channels.spi} to be open to this module and {@code sun.nio.ch} to be exported to it, which the agent does.
 */
public final class UninterruptibleChannels {

    private static final String FIELD = "interruptor";

    /** Threads whose status was cleared so that they could wait on. */
    private static final ThreadLocal<Boolean> INTERRUPTED = new ThreadLocal<>();

    private UninterruptibleChannels() {}

    /**
     * Opens a channel that is not connected.
     *
     * @throws IOException if there is none, or the JDK has no such interruptor
     */
    public static SocketChannel open(VerbenaSelectorProvider provider) throws IOException {
        SocketChannel channel = provider.openSocketChannel();
        ((VerbenaSocketChannel) channel).ignoreInterrupts();
        return channel;
    }

    /** The same for a server. What it accepts is uninterruptible, too. */
    public static ServerSocketChannel openServer(VerbenaSelectorProvider provider) throws IOException {
        ServerSocketChannel channel = provider.openServerSocketChannel();
        ((VerbenaServerChannel) channel).ignoreInterrupts();
        return channel;
    }

    /**
     * Opens nothing.
     *
     * @throws ReflectiveOperationException if the JDK has no such interruptor
     */
    public static void check() throws ReflectiveOperationException {
        field();
    }

    private static Field field() throws ReflectiveOperationException {
        Field field = AbstractInterruptibleChannel.class.getDeclaredField(FIELD);
        field.setAccessible(true);
        return field;
    }

    /** Sets the status of the calling thread again if it was interrupted while it waited for such a channel. */
    public static void restoreStatus() {
        if (INTERRUPTED.get() != null) {
            INTERRUPTED.remove();
            Thread.currentThread().interrupt();
        }
    }

    /** Clears the status of a platform thread, which waits on. Returns whether it was set. */
    static boolean clearStatus() {
        if (Thread.currentThread().isVirtual() || !Thread.interrupted()) {
            return false;
        }
        INTERRUPTED.set(true);
        return true;
    }

    /** Replaces the interruptor of a channel. */
    static void ignoreInterrupts(AbstractInterruptibleChannel channel) throws IOException {
        try {
            Field field = field();
            Object interruptor = field.get(channel);
            if (!Proxy.isProxyClass(interruptor.getClass())) {
                field.set(
                        channel,
                        Proxy.newProxyInstance(
                                UninterruptibleChannels.class.getClassLoader(),
                                new Class<?>[] {field.getType()},
                                new VirtualOnly(interruptor, field.getType())));
            }
        } catch (ReflectiveOperationException | RuntimeException e) {
            channel.close();
            throw new IOException("The channels of this JDK have no interruptor that can be replaced: " + e, e);
        }
    }

    /** Passes the interrupts of virtual threads on. */
    private static final class VirtualOnly implements InvocationHandler {
        private final Object original;
        private final Method interrupt;
        private final Method postInterrupt;
        private volatile boolean interrupted;

        VirtualOnly(Object original, Class<?> type) throws NoSuchMethodException {
            this.original = original;
            interrupt = type.getMethod("interrupt", Thread.class);
            postInterrupt = type.getMethod("postInterrupt");
        }

        @Override
        @SuppressWarnings("NullAway") // both methods return nothing
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            if (method.equals(interrupt) && ((Thread) arguments[0]).isVirtual()) {
                interrupted = true;
                return interrupt.invoke(original, arguments);
            }
            return method.equals(postInterrupt) && interrupted ? postInterrupt.invoke(original) : null;
        }
    }
}
