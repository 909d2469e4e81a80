package io.verbena.sockets.agent;

import io.verbena.sockets.net.CarriedSockets;
import io.verbena.sockets.nio.UninterruptibleChannels;
import java.io.IOException;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassElement;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.MethodModel;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.net.Socket;
import java.net.SocketImpl;

/**
 * Has the JDK use {@link CarriedSockets}. The one method that makes the JDK's own implementation, {@code
 * SocketImpl.createPlatformSocketImpl}, is replaced, and not the factories of {@link Socket} and {@code ServerSocket}: those
 * can be set once only, so that a program that sets its own would fail, and sockets with a factory do not use SOCKS and HTTP proxies.
 */
final class SocketCarriage {

    private static final String METHOD = "createPlatformSocketImpl";
    private static final ClassDesc SOCKET_IMPL = ClassDesc.of("java.net.SocketImpl");

    private boolean replaced;

    /**
     * Replaces the method, and tries it.
     *
     * @throws Installation.Failure if this JDK has no such method, or the class cannot be changed
     */
    static void install(Instrumentation instrumentation) throws Installation.Failure {
        SocketCarriage carriage = new SocketCarriage();
        try {
            ClassChange.apply(instrumentation, SocketImpl.class, carriage::change);
        } catch (UnmodifiableClassException | LinkageError | IllegalArgumentException e) {
            throw new Installation.Failure("The class of sockets cannot be changed: " + e, e);
        }
        if (!carriage.replaced) {
            throw new Installation.Failure("This JDK has no method " + SocketImpl.class.getName() + "." + METHOD + ".");
        }
        try (Socket _ = new Socket()) { // opens no channel
            UninterruptibleChannels.check();
        } catch (IOException | ReflectiveOperationException | RuntimeException | LinkageError e) {
            throw new Installation.Failure("Sockets cannot be carried on this JDK: " + e, e);
        }
    }

    private void change(ClassBuilder type, ClassElement element) {
        if (element instanceof MethodModel method && method.methodName().equalsString(METHOD)) {
            type.withMethodBody(
                    method.methodName(), method.methodType(), method.flags().flagsMask(), SocketCarriage::body);
            replaced = true;
        } else {
            type.with(element);
        }
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
