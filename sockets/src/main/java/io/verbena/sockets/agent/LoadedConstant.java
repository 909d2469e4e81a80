package io.verbena.sockets.agent;

import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.function.Function;

/**
 * How code that the agent adds to a class of the JDK finds an object of this module: as a constant, which is made by
 * the loader of the system when it is first used.
 */
final class LoadedConstant {

    static final ClassDesc FUNCTION = Function.class.describeConstable().orElseThrow();

    private LoadedConstant() {}

    /** A new object of this class, which has a constructor without parameters. */
    static ConstantDesc of(Class<? extends Function<?, ?>> type) {
        ClassDesc loaders = ClassLoader.class.describeConstable().orElseThrow();
        ConstantDesc loader = result(
                loaders,
                method(
                        DirectMethodHandleDesc.Kind.STATIC,
                        loaders,
                        "getSystemClassLoader",
                        MethodTypeDesc.of(loaders)));
        ConstantDesc loaded = result(
                ConstantDescs.CD_Class,
                method(
                        DirectMethodHandleDesc.Kind.VIRTUAL,
                        loaders,
                        "loadClass",
                        MethodTypeDesc.of(ConstantDescs.CD_Class, ConstantDescs.CD_String)),
                loader,
                type.getName());
        return result(
                FUNCTION,
                method(
                        DirectMethodHandleDesc.Kind.VIRTUAL,
                        ConstantDescs.CD_Class,
                        "newInstance",
                        MethodTypeDesc.of(ConstantDescs.CD_Object)),
                loaded);
    }

    private static DirectMethodHandleDesc method(
            DirectMethodHandleDesc.Kind kind, ClassDesc owner, String name, MethodTypeDesc type) {
        return MethodHandleDesc.ofMethod(kind, owner, name, type);
    }

    private static DynamicConstantDesc<?> result(
            ClassDesc type, DirectMethodHandleDesc call, ConstantDesc... arguments) {
        ConstantDesc[] all = new ConstantDesc[arguments.length + 1];
        all[0] = call;
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return DynamicConstantDesc.ofNamed(ConstantDescs.BSM_INVOKE, "carried", type, all);
    }
}
