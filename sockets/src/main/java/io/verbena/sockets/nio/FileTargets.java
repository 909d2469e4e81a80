package io.verbena.sockets.nio;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/**
 * Makes socket channels to which {@code FileChannel.transferTo} gives the file as mapped memory, in one write of up to 8 MiB. To
 * channels that it does not know it writes copies on the heap, 8 KiB each (JDK 25, {@code FileChannelImpl.transferToTrustedChannel}); this is
 * the way of what Kafka sends to consumers and Spark to reducers.
 *
 * <p>It knows channels by the interface {@code sun.nio.ch.SelChImpl}, whose package is exported to the provider of a JVM in any case, see
 * {@link JdkProvider}, but not to its compiler. So the class that implements it is generated here. Of the methods of the interface, which
 * are for the JDK's selectors, none is used: such a selector fails when it selects, where it refused the channel before. Without the
 * export, or if a JDK has other rules, channels are made without the interface, and files are sent in pieces.
 */
final class FileTargets {

    private static final String TRUSTED = "sun.nio.ch.SelChImpl";
    private static final MethodType PARTS =
            MethodType.methodType(void.class, VerbenaSelectorProvider.class, Networks.class, SocketChannel.class);
    private static final Optional<MethodHandle> CONSTRUCTOR = constructor();

    private FileTargets() {}

    static VerbenaSocketChannel channel(VerbenaSelectorProvider provider, Networks networks, SocketChannel jdk) {
        if (CONSTRUCTOR.isEmpty()) {
            return new VerbenaSocketChannel(provider, networks, jdk);
        }
        try {
            return (VerbenaSocketChannel) CONSTRUCTOR.get().invokeExact(provider, networks, jdk);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("The constructor of a channel throws nothing else.", e);
        }
    }

    private static Optional<MethodHandle> constructor() {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            Class<?> defined = lookup.defineClass(bytes(Class.forName(TRUSTED)));
            return Optional.of(
                    lookup.findConstructor(defined, PARTS).asType(PARTS.changeReturnType(VerbenaSocketChannel.class)));
        } catch (ReflectiveOperationException | LinkageError _) {
            return Optional.empty();
        }
    }

    private static byte[] bytes(Class<?> trusted) {
        ClassDesc superclass = VerbenaSocketChannel.class.describeConstable().orElseThrow();
        ClassDesc own = superclass.nested("FileTarget");
        MethodTypeDesc parts = PARTS.describeConstable().orElseThrow();
        return ClassFile.of().build(own, builder -> {
            builder.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER | ClassFile.ACC_SYNTHETIC)
                    .withSuperclass(superclass)
                    .withInterfaceSymbols(trusted.describeConstable().orElseThrow())
                    .withMethodBody(
                            ConstantDescs.INIT_NAME,
                            parts,
                            0,
                            code -> code.aload(0)
                                    .aload(1)
                                    .aload(2)
                                    .aload(3)
                                    .invokespecial(superclass, ConstantDescs.INIT_NAME, parts)
                                    .return_());
            for (Method method : trusted.getDeclaredMethods()) {
                if (Modifier.isAbstract(method.getModifiers())) {
                    MethodType type = MethodType.methodType(method.getReturnType(), method.getParameterTypes());
                    builder.withMethodBody(
                            method.getName(),
                            type.describeConstable().orElseThrow(),
                            ClassFile.ACC_PUBLIC,
                            FileTargets::refuse);
                }
            }
        });
    }

    private static void refuse(CodeBuilder code) {
        ClassDesc refusal = IllegalSelectorException.class.describeConstable().orElseThrow();
        code.new_(refusal)
                .dup()
                .invokespecial(refusal, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                .athrow();
    }
}
