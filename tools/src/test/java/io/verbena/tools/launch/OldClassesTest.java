package io.verbena.tools.launch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class OldClassesTest {

    private static final String PICOCLI = "picocli/CommandLine.class";

    @TempDir
    private Path folder = Path.of(".");

    @Test
    void oldClass_rewritten_isVerifiedAndRuns() throws Exception {
        byte[] old = bytes(CommandLine.class.getResourceAsStream("/" + PICOCLI));
        Path source = Path.of(CommandLine.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Path jar = Files.copy(source, folder.resolve("picocli.jar"));
        OldClasses.main(new String[] {jar.toString()});
        assertTrue(ClassFile.of().parse(old).majorVersion() < ClassFile.JAVA_6_VERSION, "picocli no longer needs it");
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
            Class<?> command = Class.forName("picocli.CommandLine", true, loader);
            assertNotSame(CommandLine.class, command);
            assertEquals(CommandLine.VERSION, command.getField("VERSION").get(null));
        }
        try (ZipFile zip = new ZipFile(jar.toFile());
                InputStream in = zip.getInputStream(zip.getEntry(PICOCLI))) {
            assertEquals(
                    ClassFile.JAVA_8_VERSION,
                    ClassFile.of().parse(in.readAllBytes()).majorVersion());
        }
        try (ZipFile before = new ZipFile(source.toFile());
                ZipFile after = new ZipFile(jar.toFile())) {
            assertEquals(before.size(), after.size());
        }
        assertFalse(Files.exists(folder.resolve("picocli.jar.new")));
    }

    @Test
    void newClassesAndOtherFiles_stayAsTheyAre() throws Exception {
        Path jar = folder.resolve("new.jar");
        String name = "io/verbena/tools/launch/OldClassesTest.class";
        byte[] fresh = bytes(OldClassesTest.class.getResourceAsStream("/" + name));
        try (OutputStream file = Files.newOutputStream(jar);
                ZipOutputStream out = new ZipOutputStream(file)) {
            out.putNextEntry(new ZipEntry(name));
            out.write(fresh);
            out.putNextEntry(new ZipEntry("text"));
            out.write(1);
        }
        OldClasses.modernize(jar);
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            assertArrayEquals(fresh, bytes(zip.getInputStream(zip.getEntry(name))));
            assertArrayEquals(new byte[] {1}, bytes(zip.getInputStream(zip.getEntry("text"))));
        }
    }

    private static byte[] bytes(InputStream in) throws IOException {
        try (in) {
            return in.readAllBytes();
        }
    }
}
