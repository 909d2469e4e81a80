package io.verbena.sockets.net;

import io.verbena.sockets.nio.VerbenaSelectorProvider;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.SocketImpl;
import java.nio.channels.spi.SelectorProvider;
import java.util.function.Function;

/**
 * Makes what is below each socket and server socket of the JVM. The JDK distinguishes its own implementations from those of programs by the
 * interface {@code sun.net.PlatformSocketImpl}, which has no methods, and which no class outside the JDK can name when it is compiled: so
 * the classes that have it are made when the JVM starts.
 */
public final class CarriedSockets implements Function<Boolean, SocketImpl> {

    private static final ClassDesc MARK = ClassDesc.of("sun.net.PlatformSocketImpl");
    private static final MethodTypeDesc CONSTRUCTOR = MethodTypeDesc.of(
            ConstantDescs.CD_void,
            VerbenaSelectorProvider.class.describeConstable().orElseThrow());

    private final MethodHandle client;
    private final MethodHandle server;

    /** Called by the code that the agent adds to the JDK. */
    public CarriedSockets() throws ReflectiveOperationException {
        client = marked(CarriedSocket.class);
        server = marked(ListeningSocket.class);
    }

    /** The constructor of a class that extends another one by the mark. */
    private static MethodHandle marked(Class<? extends SocketImpl> of) throws ReflectiveOperationException {
        ClassDesc parent = of.describeConstable().orElseThrow();
        byte[] code = ClassFile.of()
                .build(
                        ClassDesc.of(of.getPackageName(), "Platform" + of.getSimpleName()),
                        type -> type.withSuperclass(parent)
                                .withInterfaceSymbols(MARK)
                                .withMethodBody(
                                        ConstantDescs.INIT_NAME,
                                        CONSTRUCTOR,
                                        ClassFile.ACC_PUBLIC,
                                        body -> body.aload(0)
                                                .aload(1)
                                                .invokespecial(parent, ConstantDescs.INIT_NAME, CONSTRUCTOR)
                                                .return_()));
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        return lookup.findConstructor(
                        lookup.defineClass(code), MethodType.methodType(void.class, VerbenaSelectorProvider.class))
                .asType(MethodType.methodType(SocketImpl.class, VerbenaSelectorProvider.class));
    }

    /** Makes an implementation, which opens nothing yet. */
    @Override
    public SocketImpl apply(Boolean forServer) {
        VerbenaSelectorProvider provider = (VerbenaSelectorProvider) SelectorProvider.provider();
        try {
            return forServer ? (SocketImpl) server.invokeExact(provider) : (SocketImpl) client.invokeExact(provider);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e); // a constructor without checked exceptions
        }
    }
}
