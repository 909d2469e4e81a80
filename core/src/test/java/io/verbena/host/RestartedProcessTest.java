package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Connection;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server over RoCE is killed and started again with the record of its connections. */
class RestartedProcessTest {

    /** An address and a UDP port that no other test uses. */
    private static final InetAddress SERVER = InetAddress.ofLiteral("127.0.0.87");

    private static final InetSocketAddress SERVICE = new InetSocketAddress(SERVER, 7174);

    @TempDir
    Path directory;

    private static RnicOptions options(String device) {
        return RnicOptions.defaults()
                .withProvider("roce")
                .withDevice(device)
                .withInfiniband(it -> it.withUdpPort(14_795));
    }

    /** The server: accepts a connection, and waits to be killed. */
    static final class Server {

        private Server() {}

        public static void main(String[] arguments) throws Exception {
            try (Rnic rnic = Rnic.open(options(SERVER.getHostAddress()).withConnectionRecord(arguments[0]));
                    Listener listener = rnic.listen(SERVICE)) {
                System.out.println("listening");
                Site site = new Site(rnic);
                listener.nextRequest(Site.PATIENCE).orElseThrow().accept(site.queuePair);
                System.out.println("connected");
                int _ = System.in.read();
            }
        }
    }

    private static void await(String line, Process process) throws IOException {
        String read = process.inputReader().readLine();
        assertNotNull(read, "the server ended");
        assertEquals(line, read);
    }

    @Test
    void quietConnection_serverKilledAndStarted_ends() throws Exception {
        Path record = directory.resolve("connections");
        Process first = OtherJvm.start(Server.class, record);
        Process second = null;
        try (Rnic rnic = Rnic.open(options("127.0.0.88"))) {
            await("listening", first);
            Connection connection = rnic.connect(new Site(rnic).queuePair, SERVICE);
            await("connected", first);
            first.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
            assertTrue(!connection.state().ended());
            second = OtherJvm.start(Server.class, record);
            await("listening", second);
            assertTrue(connection.awaitClosed(Site.PATIENCE));
            rnic.connect(new Site(rnic).queuePair, SERVICE);
            await("connected", second);
        } finally {
            first.destroyForcibly();
            if (second != null) {
                second.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void record_ofAnotherRnic_isRefused() {
        String record = directory.resolve("connections").toString();
        RnicOptions one = options("127.0.0.89").withConnectionRecord(record);
        RnicOptions other = options("127.0.0.90").withConnectionRecord(record);
        try (Rnic _ = Rnic.open(one)) {
            VerbsException refusal = assertThrows(VerbsException.class, () -> open(other));
            assertTrue(refusal.toString().contains("belongs to another RNIC"), refusal::toString);
        }
        open(other);
    }

    @Test
    void record_thatIsAnotherFile_isRefusedAndUnchanged() throws IOException {
        Path letter = Files.writeString(directory.resolve("letter"), "Dear reader");
        VerbsException refusal = assertThrows(
                VerbsException.class, () -> open(options("127.0.0.91").withConnectionRecord(letter.toString())));
        assertTrue(refusal.toString().contains("is not a connection record"), refusal::toString);
        assertEquals("Dear reader", Files.readString(letter));
    }

    @Test
    void record_inNoDirectory_isRefused() {
        VerbsException refusal = assertThrows(
                VerbsException.class,
                () -> open(options("127.0.0.91")
                        .withConnectionRecord(
                                directory.resolve("none/connections").toString())));
        assertTrue(refusal.toString().contains("cannot be opened"), refusal::toString);
    }

    private static void open(RnicOptions options) {
        Rnic.open(options).close();
    }
}
