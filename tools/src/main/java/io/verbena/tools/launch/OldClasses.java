package io.verbena.tools.launch;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * Gives the classes of a jar from before Java 6 the stack maps that later versions of the class file have. The JVM verifies
 * them faster then, and its ahead-of-time cache takes them, which it does not without (JEP 483). picocli is compiled for
 * Java 5.
 */
public final class OldClasses {

    private static final String CLASS = ".class";

    private final Map<String, byte[]> entries;
    private final ClassFile classFile;

    private OldClasses(Map<String, byte[]> entries, ClassLoader types) {
        this.entries = entries;
        this.classFile = ClassFile.of(
                StackMapsOption.GENERATE_STACK_MAPS,
                ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(types)));
    }

    /** Rewrites the jars that are named. */
    public static void main(String[] jars) throws IOException {
        for (String jar : jars) {
            modernize(Path.of(jar));
        }
    }

    /** Rewrites one jar in its place. A class that cannot be rewritten stays as it is. */
    static void modernize(Path jar) throws IOException {
        Path fresh = Path.of(jar + ".new");
        try (URLClassLoader types = new URLClassLoader(new URL[] {jar.toUri().toURL()});
                OutputStream file = Files.newOutputStream(fresh);
                ZipOutputStream out = new ZipOutputStream(file)) {
            OldClasses classes = new OldClasses(read(jar), types);
            for (Map.Entry<String, byte[]> entry : classes.entries.entrySet()) {
                out.putNextEntry(new ZipEntry(entry.getKey()));
                out.write(entry.getKey().endsWith(CLASS) ? classes.modern(entry.getValue()) : entry.getValue());
            }
        }
        Files.move(fresh, jar, StandardCopyOption.ATOMIC_MOVE);
    }

    private static Map<String, byte[]> read(Path jar) throws IOException {
        Map<String, byte[]> entries = new LinkedHashMap<>();
        try (ZipInputStream in = new ZipInputStream(Files.newInputStream(jar))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                entries.put(entry.getName(), in.readAllBytes());
            }
        }
        return entries;
    }

    private byte[] modern(byte[] bytes) {
        ClassModel model = classFile.parse(bytes);
        if (model.majorVersion() >= ClassFile.JAVA_6_VERSION) {
            return bytes;
        }
        ClassTransform version = (to, element) -> {
            if (element instanceof ClassFileVersion) {
                to.withVersion(ClassFile.JAVA_8_VERSION, 0);
            } else {
                to.with(element);
            }
        };
        try {
            return classFile.transformClass(
                    model,
                    ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL)
                            .andThen(version));
        } catch (IllegalArgumentException e) {
            return bytes; // it refers to a class that is not here
        }
    }
}
