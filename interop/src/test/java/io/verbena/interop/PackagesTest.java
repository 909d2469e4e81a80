package io.verbena.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the scripts of the project install programs: {@code .ci/packages.sh} with an apt-get that records its calls. */
class PackagesTest {

    @TempDir
    private Path folder = Path.of(".");

    private Shell shell;

    @BeforeEach
    void aptGet() throws Exception {
        shell = new Shell(folder);
        // It installs after an update only, as on a machine whose package lists are empty or old.
        shell.program("apt-get", """
                cd "${0%/*}/.." && echo "$*" >>calls
                case " $* " in
                    *" update "*) touch updated; exit ${UPDATE_CODE:-0};;
                    *" install "*)
                        [ -e updated ] || [ -e fresh ] || { echo "E: 404  Not Found"; exit 100; }
                        for package; do :; done
                        printf '#!/bin/sh\\n' >"bin/program-of-$package" && chmod +x "bin/program-of-$package";;
                esac""");
        user(0);
        Files.createFile(folder.resolve("calls"));
    }

    private void user(int id) throws IOException {
        shell.program("id", "echo " + id);
    }

    private List<String> calls() throws IOException {
        return Files.readString(folder.resolve("calls"))
                .lines()
                .map(line -> line.replaceAll("-o \\S+ |--?\\S+ ", ""))
                .toList();
    }

    private Shell.Outcome need(String shellName, String programs) throws Exception {
        return shell.run(shellName, ". .ci/packages.sh; need " + programs, "");
    }

    @Test
    void allInstalled_aptGetIsNotCalled() throws Exception {
        assertEquals(0, need("sh", "sh:dash cat:coreutils").code());
        assertEquals(List.of(), calls());
    }

    @Test
    void listsAreFresh_noUpdate() throws Exception {
        Files.createFile(folder.resolve("fresh"));
        assertEquals(0, need("sh", "sh:dash program-of-a:a").code());
        assertEquals(List.of("install a"), calls());
    }

    @ParameterizedTest
    @ValueSource(strings = {"sh", "bash"})
    void listsAreOld_updateAndAgain(String shellName) throws Exception {
        Shell.Outcome outcome = need(shellName, "program-of-a:a");
        assertEquals(0, outcome.code(), outcome.err());
        assertEquals(List.of("install a", "update", "install a"), calls());
    }

    /** One of several sources of packages does not respond; the package is in another one. */
    @Test
    void updateFails_installationIsTriedAgain() throws Exception {
        Shell.Outcome outcome = shell.run("export UPDATE_CODE=100; . .ci/packages.sh; need program-of-a:a", "");
        assertEquals(0, outcome.code(), outcome.err());
    }

    @Test
    void programIsMissingAfterwards_isNamed() throws Exception {
        Shell.Outcome outcome = need("sh", "no-such-program:a");
        assertEquals(1, outcome.code());
        assertTrue(outcome.err().endsWith("still missing after the installation: the programs of a\n"), outcome.err());
    }

    @Test
    void otherUser_packagesAreNamed() throws Exception {
        user(1000);
        Shell.Outcome outcome = need("sh", "program-of-a:a program-of-b:b");
        assertEquals(1, outcome.code());
        assertEquals("not installed: a b; install them as root (Debian: apt-get install a b)\n", outcome.err());
        assertEquals(List.of(), calls());
    }

    @Test
    void otherUser_downloadFails_saysWhatToDo() throws Exception {
        user(1000);
        Shell.Outcome outcome = shell.run(". .ci/packages.sh; with_new_lists apt-get install a", "");
        assertEquals(1, outcome.code());
        assertTrue(outcome.err().contains("run apt-get update as root"), outcome.err());
        assertEquals(List.of("install a"), calls());
    }

    /** Another way to install would have its own faults with old package lists. */
    @Test
    void aptGet_isCalledInOnePlace() throws Exception {
        StringBuilder found = new StringBuilder();
        for (String directory : List.of(".ci", "bench", "dist", "examples", "interop", "proofs", "stress", "web")) {
            try (var files = Files.find(
                    Shell.root().resolve(directory),
                    3,
                    (file, attributes) ->
                            attributes.isRegularFile() && !file.toString().contains("/target/"))) {
                for (Path file : files.filter(PackagesTest::isScript).toList()) {
                    Files.readString(file)
                            .lines()
                            .filter(line ->
                                    line.matches("(?!\\s*#).*\\bapt(-get)? .*\\b(install|update|download)\\b.*"))
                            .forEach(line -> found.append(file.getFileName())
                                    .append(": ")
                                    .append(line.strip())
                                    .append('\n'));
                }
            }
        }
        assertEquals(
                List.of("archive.sh", "packages.sh"),
                found.toString()
                        .lines()
                        .map(line -> line.substring(0, line.indexOf(':')))
                        .distinct()
                        .sorted()
                        .toList(),
                found.toString());
    }

    private static boolean isScript(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(".sh") || !name.contains(".");
    }
}
