package io.verbena.sockets.agent;

import io.verbena.sockets.net.CarriedSockets;
import io.verbena.sockets.nio.UninterruptibleChannels;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.MethodModel;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.net.Socket;
import java.net.SocketImpl;
import java.security.ProtectionDomain;
import org.jspecify.annotations.Nullable;

/**
 * Has the JDK use {@link CarriedSockets}. The one method that makes the JDK's own implementation, {@code
 * SocketImpl.createPlatformSocketImpl}, is replaced, and not the factories of {@link Socket} and {@code ServerSocket}: those
 * can be set once only, so that a program that sets its own would fail, and sockets with a factory do not use SOCKS and HTTP proxies.
 */
final class SocketCarriage implements ClassFileTransformer {

    private static final String TYPE = "java/net/SocketImpl";
    private static final String METHOD = "createPlatformSocketImpl";
    private static final ClassDesc SOCKET_IMPL = ClassDesc.ofInternalName(TYPE);

    private boolean replaced;

    /**
     * Replaces the method, and tries it.
     *
     * @throws Installation.Failure if this JDK has no such method, or the class cannot be changed
     */
    static void install(Instrumentation instrumentation) throws Installation.Failure {
        SocketCarriage carriage = new SocketCarriage();
        instrumentation.addTransformer(carriage, true);
        try {
            instrumentation.retransformClasses(SocketImpl.class);
        } catch (UnmodifiableClassException | LinkageError | IllegalArgumentException e) {
            throw new Installation.Failure("The class of sockets cannot be changed: " + e, e);
        } finally {
            instrumentation.removeTransformer(carriage);
        }
        if (!carriage.replaced) {
            throw new Installation.Failure("This JDK has no method " + TYPE + "." + METHOD + ".");
        }
        try (Socket _ = new Socket()) { // opens no channel
            UninterruptibleChannels.check();
        } catch (IOException | ReflectiveOperationException | RuntimeException | LinkageError e) {
            throw new Installation.Failure("Sockets cannot be carried on this JDK: " + e, e);
        }
    }

    @Override
    public byte @Nullable [] transform(
            @Nullable ClassLoader loader,
            String name,
            @Nullable Class<?> type,
            @Nullable ProtectionDomain domain,
            byte[] bytes) {
        if (!TYPE.equals(name) || loader != null) {
            return null;
        }
        ClassFile files = ClassFile.of();
        return files.transformClass(files.parse(bytes), (builder, element) -> {
            if (element instanceof MethodModel method && method.methodName().equalsString(METHOD)) {
                builder.withMethodBody(
                        method.methodName(), method.methodType(), method.flags().flagsMask(), SocketCarriage::body);
                replaced = true;
            } else {
                builder.with(element);
            }
        });
    }

    /** Returns what the one object of {@link CarriedSockets} makes. It is a constant, found by the loader of the system. */
    private static void body(CodeBuilder code) {
        code.loadConstant((ConstantDesc) LoadedConstant.of(CarriedSockets.class))
                .iload(0)
                .invokestatic(
                        ConstantDescs.CD_Boolean,
                        "valueOf",
                        MethodTypeDesc.of(ConstantDescs.CD_Boolean, ConstantDescs.CD_boolean))
                .invokeinterface(
                        LoadedConstant.FUNCTION,
                        "apply",
                        MethodTypeDesc.of(ConstantDescs.CD_Object, ConstantDescs.CD_Object))
                .checkcast(SOCKET_IMPL)
                .areturn();
    }
}
