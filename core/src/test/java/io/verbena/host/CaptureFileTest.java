package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.host.socket.SocketLoop;
import io.verbena.port.StreamLoop;
import io.verbena.port.capture.CaptureLimits;
import io.verbena.port.capture.CapturingLoop;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VerbsException;
import io.verbena.wire.PcapngReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CaptureFileTest {

    @TempDir
    Path folder;

    private static CaptureFile open(String path) {
        return CaptureFile.open(path, CaptureLimits.defaults());
    }

    private static int packetsIn(Path file) {
        return packetsIn(file, true);
    }

    /**
     * Packets of a file.
     *
     * @param whole whether the file is complete; while it is being written, a reader may see a part of the last write
     */
    private static int packetsIn(Path file, boolean whole) {
        PcapngReader reader;
        try {
            reader = new PcapngReader(MemorySegment.ofArray(Files.readAllBytes(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        int packets = 0;
        PcapngReader.Outcome outcome;
        while ((outcome = reader.next()) == PcapngReader.Outcome.PACKET) {
            packets++;
        }
        assertTrue(outcome == PcapngReader.Outcome.END || !whole, () -> file + " is cut or no pcapng");
        return packets;
    }

    @Test
    void echoCaptured_beforeAndAfterClose_fileIsReadable() throws IOException {
        Path path = folder.resolve("echo.pcapng");
        try (SocketLoop sockets = new SocketLoop(0);
                CaptureFile file = open(path.toString())) {
            sockets.own();
            CapturingLoop loop = new CapturingLoop(sockets, file.capture());
            StreamProbe server = new StreamProbe(sockets, true);
            StreamProbe client = new StreamProbe(loop, false);
            StreamLoop.Acceptor acceptor = server.listen();
            loop.connect(acceptor.localAddress(), client);
            Until.holds("connected", () -> client.connected() && server.connected(), sockets::poll);
            client.send(200_000);
            Until.holds("echoed", () -> client.received == 200_000, sockets::poll);
            Until.holds("on disk before the end", () -> packetsIn(path, false) >= 3 + 2 * 4);
            client.stream().close(true);
            acceptor.close();
        }
        assertTrue(packetsIn(path) > 3 + 2 * 4);
        Dissection.check(path, "tcp");
    }

    @Test
    void unwritable_open_saysWhy() throws IOException {
        String missing = folder.resolve("no/such/folder.pcapng").toString();
        VerbsException thrown = assertThrows(
                VerbsException.class,
                () -> new HostEnvironment(RnicOptions.defaults().withCaptureFile(missing)));
        assertEquals(
                "The capture file '" + missing + "' cannot be written: no such file or directory.",
                thrown.getMessage());
        assertThrows(VerbsException.class, () -> open(folder.toString()));
        assertFalse(Files.exists(folder.resolve("no")));
    }

    @Test
    void inUse_openedAgain_isRefused() {
        String path = folder.resolve("one.pcapng").toString();
        try (CaptureFile file = open(path)) {
            VerbsException thrown = assertThrows(VerbsException.class, () -> open(path));
            assertTrue(
                    String.valueOf(thrown.getMessage()).contains("another RNIC of this program"), thrown.getMessage());
            file.capture().flush();
        }
        open(path).close();
    }

    @Test
    void interrupted_captures_fileStaysOpen() {
        Path path = folder.resolve("interrupted.pcapng");
        CaptureFile file = open(path.toString());
        Thread.currentThread().interrupt();
        file.capture().flush();
        file.close();
        assertTrue(Thread.interrupted());
        assertEquals(0, packetsIn(path));
    }
}
