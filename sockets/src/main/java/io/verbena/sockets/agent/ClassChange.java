package io.verbena.sockets.agent;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;
import org.jspecify.annotations.Nullable;

/** A change of one class of the JDK, made once. Classes of the same name in other loaders stay as they are. */
final class ClassChange implements ClassFileTransformer {

    private final String name;
    private final ClassTransform change;

    private ClassChange(String name, ClassTransform change) {
        this.name = name;
        this.change = change;
    }

    /**
     * Changes a class of the boot loader.
     *
     * @throws UnmodifiableClassException if the class cannot be changed
     * @throws LinkageError if the JVM refuses the changed class
     * @throws IllegalArgumentException if the class cannot be read
     */
    static void apply(Instrumentation instrumentation, Class<?> type, ClassTransform change)
            throws UnmodifiableClassException {
        ClassChange once = new ClassChange(type.getName().replace('.', '/'), change);
        instrumentation.addTransformer(once, true);
        try {
            instrumentation.retransformClasses(type);
        } finally {
            instrumentation.removeTransformer(once);
        }
    }

    @Override
    public byte @Nullable [] transform(
            @Nullable ClassLoader loader,
            String className,
            @Nullable Class<?> type,
            @Nullable ProtectionDomain domain,
            byte[] bytes) {
        if (!name.equals(className) || loader != null) {
            return null;
        }
        ClassFile files = ClassFile.of();
        return files.transformClass(files.parse(bytes), change);
    }
}
