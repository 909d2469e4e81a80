package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.port.faults.PacketFaults;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dissector docs/paths/verbena-paths.lua, as tshark runs it where it is installed. */
class PathDissectorTest {

    private static final int PATHS = 4;
    private static final int BYTES = 64_000;

    @TempDir
    private Path folder = Path.of(".");

    @Test
    void capture_showsRequestsAcknowledgementsAndTheirPaths() throws Exception {
        Path script = script();
        Path capture = folder.resolve("paths.pcapng");
        record(capture);
        if (!Dissection.available()) {
            return; // the conversation itself has run
        }
        assertEquals("", tshark(capture, script, "_ws.malformed || _ws.lua.error || verbena_paths.short"));
        String requests = tshark(capture, script, "verbena_paths.opcode == 0xd4 && verbena_paths.request == 7");
        for (int path = 0; path < PATHS; path++) {
            assertTrue(requests.contains("Write Middle, path " + path + ","), requests);
        }
        assertTrue(!tshark(capture, script, "verbena_paths.opcode == 0xd5 && verbena_paths.received > 0")
                .isEmpty());
        assertTrue(!tshark(capture, script, "infiniband.bth && !verbena_paths").isEmpty(), "the set-up as before");
    }

    private static Path script() {
        Path here = Path.of("").toAbsolutePath();
        Path script = here.resolve("../docs/paths/verbena-paths.lua").normalize();
        assertTrue(Files.isRegularFile(script), script::toString);
        return script;
    }

    /** Writes with losses, so that acknowledgements have a map. */
    private static void record(Path capture) throws IOException {
        RnicOptions options = RnicOptions.defaults().withProvider("roce");
        try (Rnic near = new RoceProvider().open(options.withCaptureFile(capture.toString()), PacketFaults.none());
                Rnic far = new RoceProvider().open(options, PacketFaults.none().withLoss(20))) {
            Site a = new Site(near);
            Site b = new Site(far);
            Site.connect(
                    a, b, StreamProbe.loopback(0), ConnectionOptions.defaults().withPaths(PATHS));
            for (int i = 0; i < 60; i++) {
                a.queuePair.postWrite(i, a.memory, 0, BYTES, b.memory.remote(), 0, WrFlags.SIGNALLED);
                a.complete(i);
            }
        }
    }

    private static String tshark(Path capture, Path script, String filter) throws Exception {
        Process process = new ProcessBuilder(
                        List.of("tshark", "-X", "lua_script:" + script, "-r", capture.toString(), "-Y", filter))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (InputStream out = process.getInputStream()) {
            String text = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, process.waitFor(), () -> "tshark does not understand " + filter);
            return text.strip();
        }
    }
}
