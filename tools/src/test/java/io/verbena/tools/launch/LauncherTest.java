package io.verbena.tools.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The launcher with a finished build and a JDK whose {@code java} prints its options and its locale. */
class LauncherTest {

    @TempDir
    private Path root = Path.of(".");

    @BeforeEach
    void build() throws IOException {
        Files.copy(launcher(), root.resolve("verbena"));
        Path run = Files.createDirectories(root.resolve("target/launch/run-1"));
        Files.createFile(run.resolve("verbena-tools.jar"));
        Files.writeString(root.resolve("target/launch/built"), run.getFileName() + "\n");
        Path bin = Files.createDirectories(root.resolve("jdk/bin"));
        Files.writeString(root.resolve("jdk/release"), "JAVA_VERSION=\"25\"\nJAVA_RUNTIME_VERSION=\"25+1\"\n");
        script(bin.resolve("java"), "#!/bin/sh\nprintf '%s\\n' \"$@\" \"locale ${LC_ALL:-$LC_CTYPE}\"\n");
        script(bin.resolve("javac"), "#!/bin/sh\n");
    }

    private static Path launcher() {
        Path here = Path.of("verbena").toAbsolutePath();
        return Files.isRegularFile(here) ? here : Path.of("../verbena").toAbsolutePath();
    }

    private static void script(Path file, String text) throws IOException {
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private List<String> launched(Map<String, String> environment, String... arguments) throws Exception {
        Process process = start("", environment, arguments);
        List<String> lines = process.inputReader(UTF_8).readAllLines();
        assertEquals(0, process.waitFor());
        return lines;
    }

    private Process start(String redirection, Map<String, String> environment, String... arguments) throws Exception {
        String command = "sh '" + root.resolve("verbena") + "' " + String.join(" ", arguments) + redirection;
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", command);
        builder.environment().keySet().removeAll(List.of("LC_ALL", "LC_CTYPE", "LANG", "VERBENA_JAVA_OPTS"));
        builder.environment().put("VERBENA_JAVA_HOME", root.resolve("jdk").toString());
        builder.environment().putAll(environment);
        Process process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        return process;
    }

    @ParameterizedTest
    @CsvSource({
        "VERBENA_JAVA_OPTS, -Da=b, -XX:+UseParallelGC",
        "VERBENA_JAVA_OPTS, -XX:+UseZGC, -XX:+UseZGC",
        "VERBENA_JAVA_OPTS, -Da=b -XX:+UseSerialGC, -XX:+UseSerialGC",
        "JDK_JAVA_OPTIONS, -XX:+UseG1GC, -XX:+UseG1GC",
        "JAVA_TOOL_OPTIONS, -XX:+UseShenandoahGC, -XX:+UseShenandoahGC"
    })
    void collectorOfTheUser_isTheOnlyOne(String variable, String options, String collector) throws Exception {
        List<String> line = launched(Map.of(variable, options), "info");
        assertEquals(
                List.of(collector),
                line.stream()
                        .filter(word -> word.matches("-XX:\\+Use\\w+GC"))
                        .distinct()
                        .toList());
    }

    /** Processes that a command starts use the collector, too. */
    @Test
    void collectorOfTheUser_isPassedOn() throws Exception {
        List<String> line = launched(Map.of("VERBENA_JAVA_OPTS", "-XX:+UseZGC"), "demo");
        assertTrue(line.stream().anyMatch("-Dio.verbena.launch.options=-XX:+UseZGC"::equals), line.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "LANG, de_DE.UTF-8, ''",
        "LC_ALL, C, C.UTF-8",
        "LC_ALL, POSIX, C.UTF-8",
        "LC_CTYPE, C, C.UTF-8",
        "LANG, C, C.UTF-8",
        "LC_ALL, en_US.ISO-8859-1, en_US.ISO-8859-1"
    })
    void localeWithoutCharacters_becomesUtf8(String variable, String value, String expected) throws Exception {
        assertEquals(
                ("locale " + expected).strip(),
                launched(Map.of(variable, value), "info").getLast().strip());
    }

    /** The launcher is called by a relative name, and CDPATH has a folder of that name, too. */
    @ParameterizedTest
    @ValueSource(strings = {".", "elsewhere"})
    void cdpath_changesNothing(String path) throws Exception {
        Path other = Files.createDirectories(root.resolve("elsewhere").resolve(root.getFileName()));
        assertTrue(Files.isDirectory(other));
        ProcessBuilder builder = new ProcessBuilder("sh", root.getFileName() + "/verbena", "info")
                .directory(root.resolve("..").toFile())
                .redirectErrorStream(true);
        builder.environment().put("VERBENA_JAVA_HOME", root.resolve("jdk").toString());
        builder.environment()
                .put("CDPATH", path.equals(".") ? path : root.resolve(path).toString());
        String said = output(builder.start());
        assertTrue(said.contains(root.toRealPath() + "/target/launch/run-1/verbena-tools.jar"), said);
    }

    @Test
    void javaHome_outputFull_fails() throws Exception {
        assertNotEquals(0, start(" > /dev/full", Map.of(), "java-home").exitValue());
    }

    /** Puts the launcher where a package has it: in bin, beside lib. */
    private Path install() throws IOException {
        Path installed = root.resolve("installed");
        Files.createDirectories(installed.resolve("bin"));
        Files.createDirectories(installed.resolve("lib"));
        Files.createFile(installed.resolve("lib/verbena-tools.jar"));
        Files.copy(launcher(), installed.resolve("bin/verbena"));
        return installed;
    }

    private static String output(Process process) throws Exception {
        String text = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        return text;
    }

    private Process installedCommand(Path installed, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", installed + "/bin/verbena", "info");
        builder.environment().keySet().removeAll(List.of("VERBENA_JAVA_HOME", "JAVA_HOME", "VERBENA_JAVA_OPTS"));
        builder.environment().putAll(environment);
        return builder.redirectErrorStream(true).start();
    }

    @Test
    void installed_javaOfItsOwn_isUsedWithItsCache() throws Exception {
        Path installed = install();
        Files.createDirectories(installed.resolve("jre/bin"));
        script(installed.resolve("jre/bin/java"), "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        Files.writeString(installed.resolve("lib/cache.aot"), "recorded");
        String words = output(installedCommand(installed, Map.of()));
        assertTrue(words.contains("-XX:AOTCache=" + installed.toRealPath() + "/lib/cache.aot\n"), words);
        assertTrue(words.endsWith("-jar\n" + installed.toRealPath() + "/lib/verbena-tools.jar\ninfo\n"), words);
    }

    /** A runtime without compiler is enough to run; only a build needs a JDK. */
    @Test
    void installed_runtimeWithoutCompiler_isUsed() throws Exception {
        Path installed = install();
        Files.delete(root.resolve("jdk/bin/javac"));
        String words = output(installedCommand(
                installed, Map.of("VERBENA_JAVA_HOME", root.resolve("jdk").toString())));
        assertTrue(words.contains("verbena-tools.jar\ninfo\n"), words);
    }

    @Test
    void installed_oldJavaByName_isRefusedInOneSentence() throws Exception {
        Path installed = install();
        Files.writeString(root.resolve("jdk/release"), "JAVA_VERSION=\"21.0.2\"\n");
        Process process = installedCommand(
                installed, Map.of("VERBENA_JAVA_HOME", root.resolve("jdk").toString()));
        String said = output(process);
        assertEquals(1, process.exitValue());
        assertEquals(1, said.lines().count(), said);
        assertTrue(said.contains("which holds no JDK 25 or newer"), said);
    }

    /** Where this user cannot write, for example below /usr, the cache is in a folder of this user. */
    @Test
    void installed_folderOfAnotherUser_cacheIsInTheHome() throws Exception {
        Path installed = install();
        Path home = Files.createDirectories(root.resolve("home"));
        String before = Files.readString(installed.resolve("bin/verbena"));
        // Root may write everywhere, so that the test asks the launcher as if it could not.
        Files.writeString(installed.resolve("bin/verbena"), before.replace("[ -w \"$run\" ]", "false"));
        output(installedCommand(
                installed,
                Map.of("VERBENA_JAVA_HOME", root.resolve("jdk").toString(), "XDG_CACHE_HOME", home.toString())));
        try (var files = Files.list(home.resolve("verbena"))) {
            assertTrue(files.anyMatch(file -> file.getFileName().toString().contains("aot-25+1-")));
        }
        try (var files = Files.list(installed.resolve("lib"))) {
            assertEquals(1, files.count());
        }
    }
}
