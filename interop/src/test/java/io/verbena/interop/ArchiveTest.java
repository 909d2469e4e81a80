package io.verbena.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The choice of versions in {@code interop/archive.sh}, from what apt prints about an archive. */
class ArchiveTest {

    private static final String IMAGE = "linux-image-6.1.0-%s-amd64";
    private static final String HEADERS = "linux-headers-6.1.0-%s-amd64";
    private static final String COMMON = "linux-headers-6.1.0-%s-common";
    private static final String KBUILD = "linux-kbuild-6.1";
    private static final String SOURCE = "linux-source-6.1";

    @TempDir
    private Path folder = Path.of(".");

    private Shell.Outcome run(String function, String input) throws Exception {
        return new Shell(folder).run(". interop/archive.sh; " + function, input);
    }

    private Shell.Outcome kernel(String abi, String... records) throws Exception {
        return run("choose_kernel 6.1 '" + abi + "'", String.join("\n", records));
    }

    private String chosen(String... records) throws Exception {
        Shell.Outcome outcome = kernel("", records);
        assertEquals(0, outcome.code(), outcome.err());
        return outcome.out().strip();
    }

    /** A record of {@code apt-cache show}, without the fields that say nothing here. */
    private static String record(String name, String version, String depends) {
        return """
                Package: %s
                Source: linux
                Version: %s
                Installed-Size: 5200
                Maintainer: Debian Kernel Team <debian-kernel@lists.debian.org>
                Architecture: amd64
                %sDescription-en: Part of Linux
                 More about it, Version: 7 and Filename: none.
                Section: kernel
                Filename: pool/main/l/linux/%s_%s_amd64.deb
                Size: 1567812
                """.formatted(name, version, depends.isEmpty() ? "" : "Depends: " + depends + "\n", name, version);
    }

    private static String image(String abi, String version) {
        return record(
                IMAGE.formatted(abi), version, "kmod, linux-base (>= 4.3~), initramfs-tools | linux-initramfs-tool");
    }

    private static String headers(String abi, String version) {
        return headers(abi, version, "linux-kbuild-6.1 (>= " + version + ")");
    }

    private static String headers(String abi, String version, String kbuild) {
        String depends = COMMON.formatted(abi) + " (= " + version + "), " + kbuild + ", linux-compiler-gcc-12-x86";
        return record(HEADERS.formatted(abi), version, depends) + "\n" + record(COMMON.formatted(abi), version, "");
    }

    private static String kbuild(String version) {
        return record(KBUILD, version, "libc6 (>= 2.34), libelf1 (>= 0.142), libssl3 (>= 3.0.0)");
    }

    private static String source(String version) {
        return record(SOURCE, version, "binutils, xz-utils");
    }

    @Test
    void allInOneVersion_thatVersion() throws Exception {
        assertEquals(
                "6.1.0-50-amd64 6.1.176-1 6.1.176-1",
                chosen(image("50", "6.1.176-1"), headers("50", "6.1.176-1"), kbuild("6.1.176-1"), source("6.1.176-1")));
    }

    /** The archive of 2026-11-28: headers, kbuild and source of 57 were there before its image. */
    @Test
    void kbuildAndHeadersNewerThanImage_kernelBeforeWithNewerKbuild() throws Exception {
        assertEquals(
                "6.1.0-56-amd64 6.1.192-2 6.1.192-3",
                chosen(
                        headers("57", "6.1.192-3"),
                        kbuild("6.1.192-3"),
                        kbuild("6.1.176-1"),
                        source("6.1.192-3"),
                        source("6.1.192-2"),
                        image("56", "6.1.192-2"),
                        headers("56", "6.1.192-2")));
    }

    @Test
    void imageNewerThanHeaders_kernelBefore() throws Exception {
        assertEquals(
                "6.1.0-9-amd64 6.1.99-1 6.1.112-1",
                chosen(
                        image("10", "6.1.112-1"),
                        source("6.1.112-1"),
                        kbuild("6.1.112-1"),
                        image("9", "6.1.99-1"),
                        headers("9", "6.1.99-1"),
                        source("6.1.99-1")));
    }

    /** Versions are compared as such: 10 is newer than 9, and 112 than 99. */
    @Test
    void twoComplete_newest() throws Exception {
        String[] both = {
            image("9", "6.1.99-1"),
            headers("9", "6.1.99-1"),
            source("6.1.99-1"),
            kbuild("6.1.99-1"),
            image("10", "6.1.112-1"),
            headers("10", "6.1.112-1"),
            source("6.1.112-1"),
            kbuild("6.1.112-1")
        };
        assertEquals("6.1.0-10-amd64 6.1.112-1 6.1.112-1", chosen(both));
        assertEquals(
                "6.1.0-9-amd64 6.1.99-1 6.1.112-1",
                kernel("6.1.0-9-amd64", both).out().strip());
    }

    @Test
    void sourceMissing_kernelBefore() throws Exception {
        assertEquals(
                "6.1.0-47-amd64 6.1.170-3 6.1.176-1",
                chosen(
                        image("50", "6.1.176-1"),
                        headers("50", "6.1.176-1"),
                        kbuild("6.1.176-1"),
                        image("47", "6.1.170-3"),
                        headers("47", "6.1.170-3"),
                        source("6.1.170-3")));
    }

    @Test
    void kbuildTooOldForTheNewest_kernelBefore() throws Exception {
        assertEquals(
                "6.1.0-47-amd64 6.1.170-3 6.1.170-3",
                chosen(
                        image("50", "6.1.176-1"),
                        headers("50", "6.1.176-1"),
                        source("6.1.176-1"),
                        image("47", "6.1.170-3"),
                        headers("47", "6.1.170-3"),
                        source("6.1.170-3"),
                        kbuild("6.1.170-3")));
    }

    @Test
    void headersDependOnOneKbuild_thatOne() throws Exception {
        String[] rest = {image("50", "6.1.176-1"), source("6.1.176-1"), kbuild("6.1.192-3"), kbuild("6.1.176-1")};
        for (String depends : List.of(
                "linux-kbuild-6.1 (= 6.1.176-1)",
                "linux-kbuild-6.1 (>= 6.1.176-1), linux-kbuild-6.1 (<< 6.1.192-3)",
                "linux-kbuild-6.1 (<= 6.1.176-1)")) {
            String headers = headers("50", "6.1.176-1", depends);
            assertEquals("6.1.0-50-amd64 6.1.176-1 6.1.176-1", chosen(headers, String.join("\n", rest)), depends);
        }
        String any = headers("50", "6.1.176-1", KBUILD);
        assertEquals("6.1.0-50-amd64 6.1.176-1 6.1.192-3", chosen(any, String.join("\n", rest)));
    }

    /** A version that is installed here has a record too, without a file in the archive. */
    @Test
    void installedVersionThatTheArchiveHasNot_isNotChosen() throws Exception {
        String installed = image("57", "6.1.192-3").replaceAll("(?m)^Filename: .*\n", "Status: install ok installed\n");
        assertEquals(
                "6.1.0-56-amd64 6.1.192-2 6.1.192-3",
                chosen(
                        installed,
                        headers("57", "6.1.192-3"),
                        source("6.1.192-3"),
                        kbuild("6.1.192-3"),
                        image("56", "6.1.192-2"),
                        headers("56", "6.1.192-2"),
                        source("6.1.192-2")));
    }

    @Test
    void nothingFits_oneSentenceListsWhatIsThere() throws Exception {
        Shell.Outcome outcome = kernel("", image("56", "6.1.192-2"), kbuild("6.1.192-3"), source("6.1.192-3"));
        assertEquals(1, outcome.code());
        assertEquals("", outcome.out());
        assertEquals(
                "The archive does not have image, both headers and source of a kernel 6.1 in one version, with a kbuild for these headers;"
                        + " it has linux-source-6.1 6.1.192-3, linux-kbuild-6.1 6.1.192-3, linux-image-6.1.0-56-amd64 6.1.192-2.\n",
                outcome.err());
    }

    @Test
    void listsAreEmpty_saysSo() throws Exception {
        Shell.Outcome outcome = kernel("", "");
        assertEquals(1, outcome.code());
        assertTrue(outcome.err().endsWith("it has none of these packages.\n"), outcome.err());
    }

    @Test
    void namesOfASeries_withoutOtherKernels() throws Exception {
        String names = """
                linux-image-6.1.0-56-amd64
                linux-image-6.1.0-56-cloud-amd64
                linux-image-6.1.0-56-amd64-dbg
                linux-image-6.1.0-56-amd64-unsigned
                linux-image-6.12.117+deb12-amd64
                linux-headers-6.1.0-56-rt-amd64
                linux-headers-6.1.0-56-common
                linux-headers-6.1.0-56-common-rt
                linux-kbuild-6.12
                linux-kbuild-6.1
                linux-source-6.1
                linux-source
                """;
        assertEquals(
                List.of("linux-image-6.1.0-56-amd64", "linux-headers-6.1.0-56-common", KBUILD, SOURCE),
                run("kernel_packages 6.1", names).out().lines().toList());
    }

    private static final String POLICY = """
            libc6:
              Installed: 2.36-9+deb12u14
              Candidate: 2.36-9+deb12u14
              Version table:
             *** 2.36-9+deb12u14 500
                    500 http://deb.debian.org/debian bookworm/main amd64 Packages
                    100 /var/lib/dpkg/status
                 2.36-9+deb12u7 500
                    500 http://deb.debian.org/debian-security bookworm-security/main amd64 Packages
            zlib1g:
              Installed: 1:1.3.1-1
              Candidate: 1:1.3.1-1
              Version table:
             *** 1:1.3.1-1 100
                    100 /var/lib/dpkg/status
                 1:1.2.13.dfsg-1 500
                    500 http://deb.debian.org/debian bookworm/main amd64 Packages
            libnl-3-200:
              Installed: (none)
              Candidate: 3.7.0-0.2+b1
              Version table:
                 3.11.0-2~bpo12+1 100
                    100 http://deb.debian.org/debian bookworm-backports/main amd64 Packages
                 3.7.0-0.2+b1 500
                    500 http://deb.debian.org/debian bookworm/main amd64 Packages
            virtual:
              Installed: (none)
              Candidate: (none)
              Version table:
            local:
              Installed: 1
              Candidate: 1
              Version table:
             *** 1 100
                    100 /var/lib/dpkg/status
            """;

    /** The candidate, unless it is a version that is only installed here. */
    @Test
    void candidates_areInTheArchive() throws Exception {
        Shell.Outcome outcome = run("candidates libnl-3-200 zlib1g libc6", POLICY);
        assertEquals(
                List.of("libnl-3-200=3.7.0-0.2+b1", "zlib1g=1:1.2.13.dfsg-1", "libc6=2.36-9+deb12u14"),
                outcome.out().lines().toList());
        assertEquals(0, outcome.code());
    }

    @Test
    void candidates_unknownPackages_areNamed() throws Exception {
        Shell.Outcome outcome = run("candidates libc6 virtual local absent", POLICY);
        assertEquals(1, outcome.code());
        assertEquals("The package lists of this machine name no version of virtual local absent.\n", outcome.err());
    }

    private Shell.Outcome fetch(String aptGet, String packages) throws Exception {
        Shell shell = new Shell(folder);
        shell.program("apt-get", aptGet);
        Path debs = Files.createDirectories(folder.resolve("debs"));
        return shell.run(". interop/archive.sh; fetch_packages '" + debs + "' " + packages, "");
    }

    private List<String> fetched() throws IOException {
        try (var files = Files.list(folder.resolve("debs"))) {
            return files.filter(Files::isRegularFile)
                    .map(file -> file.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void fetch_onlyWhatIsMissing() throws Exception {
        Files.writeString(Files.createDirectories(folder.resolve("debs")).resolve("a_1%3a2_amd64.deb"), "whole");
        Shell.Outcome outcome = fetch("[[ \"$*\" == *' download b=3' ]] && echo whole >b_3_all.deb", "a=1:2 b=3");
        assertEquals(0, outcome.code(), outcome.err());
        assertEquals(List.of("a_1%3a2_amd64.deb", "b_3_all.deb"), fetched());
    }

    /** A file that is not complete must not have the name under which a later run takes it. */
    @Test
    void fetch_interrupted_leavesNoPartOfAFile() throws Exception {
        assertNotEquals(0, fetch("echo part >a_1_amd64.deb; exit 100", "a=1").code());
        assertEquals(List.of(), fetched());
        assertEquals(0, fetch("echo whole >a_1_amd64.deb", "a=1").code());
        assertEquals(List.of("a_1_amd64.deb"), fetched());
    }
}
