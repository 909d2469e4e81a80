package io.verbena.bench.side;

import io.verbena.tools.text.Figures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Sentences on where figures were measured. */
final class Machine {

    private Machine() {}

    static List<String> circumstances(int pairs, boolean quick, int socketBufferBytes) {
        List<String> sentences =
                new ArrayList<>(place(pairs + " interleaved pairs a row" + (quick ? ", quick run" : "")));
        sentences.add(
                socketBufferBytes > 0
                        ? "Socket buffers: " + Figures.bytes(socketBufferBytes) + " requested on both sides, by all."
                        : "Socket buffers: the system's choice, for all.");
        sentences.add(
                "Each row is a JVM of its own in which both take turns, one thread of the application on each side "
                        + "(engine threads come on top); UCX runs as two processes that poll. The better mode of progress is shown; "
                        + "the JSON file has both.");
        String ucx = ucxVersion();
        if (!ucx.isEmpty()) {
            sentences.add("UCX " + ucx
                    + ": UCX_TLS=tcp on lo, ucx_perftest with a window of 64 for puts. The rows of shared memory: UCX_TLS=posix;"
                    + " Open MPI with vader, MPICH with its own shared memory.");
        }
        return sentences;
    }

    /** Where it was, and how often. */
    static List<String> place(String howOften) {
        return List.of(
                LocalDate.now() + ", " + Runtime.getRuntime().availableProcessors() + " cores, loopback TCP, "
                        + howOften + ", JDK "
                        + Runtime.version().feature() + ", " + System.getProperty("os.name") + " "
                        + System.getProperty("os.version") + ".",
                "Processor: " + processor() + ". TCP's congestion control: " + congestionControl() + ".");
    }

    private static String congestionControl() {
        String ofTheSystem;
        try {
            ofTheSystem = Files.readString(Path.of("/proc/sys/net/ipv4/tcp_congestion_control"))
                    .strip();
        } catch (IOException e) {
            return "the system's";
        }
        boolean forAll =
                System.getProperty("io.verbena.loopback.congestion", "").equals("system");
        return ofTheSystem + (forAll || ofTheSystem.equals("reno") ? "" : ", but reno for Verbena, which requests it");
    }

    private static String processor() {
        try {
            return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }

    private static String ucxVersion() {
        try {
            Process info = new ProcessBuilder("ucx_info", "-v").start();
            String first = info.inputReader().readLine();
            info.waitFor(2, TimeUnit.SECONDS);
            return first == null
                    ? ""
                    : first.replace("# Version", "")
                            .replace("# Library version:", "")
                            .strip();
        } catch (IOException e) {
            return ""; // not installed
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
