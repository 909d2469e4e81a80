package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A second opinion on a capture: tshark's, where it is installed. */
final class Dissection {

    /** What tshark takes any payload of a Send for. */
    private static final List<String> GUESSES = List.of("rpcordma", "smb_direct", "nvme-tcp", "idp");

    private Dissection() {}

    static boolean available() {
        String path = System.getenv("PATH");
        return path != null
                && Arrays.stream(path.split(":")).anyMatch(folder -> Files.isExecutable(Path.of(folder, "tshark")));
    }

    /** Nothing is malformed, and the protocol is found. */
    static void check(Path capture, String protocol) throws IOException {
        if (!available()) {
            return; // the caller has read the file with our own reader
        }
        String bad = "_ws.malformed || tcp.analysis.flags || iwarp_mpa.bad_length || tcp.checksum.status == 0";
        assertEquals("", packets(capture, bad), "packets that tshark finds fault with");
        assertTrue(!packets(capture, protocol).isEmpty(), "no " + protocol + " found by tshark");
    }

    static String packets(Path capture, String filter) throws IOException {
        List<String> command = new ArrayList<>(
                List.of("tshark", "-r", capture.toString(), "-o", "tcp.check_checksum:TRUE", "-Y", filter));
        for (String guess : GUESSES) {
            command.addAll(List.of("--disable-protocol", guess));
        }
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (InputStream out = process.getInputStream()) {
            String text = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, process.waitFor(), () -> "tshark does not understand " + filter);
            return text.strip();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
