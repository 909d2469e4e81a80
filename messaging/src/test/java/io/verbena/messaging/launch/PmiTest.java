package io.verbena.messaging.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.start.JobStartException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Launchers that do not answer as they should: the rank ends with a sentence. */
class PmiTest {

    /** What a rank gets whose launcher sends this text, and then nothing more. */
    private static String share(byte[] sent, boolean versionTwo) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> {
                try (Socket socket = server.accept()) {
                    socket.getOutputStream().write(sent);
                    socket.shutdownOutput();
                    socket.getInputStream().readAllBytes();
                } catch (IOException e) {
                    // the rank has closed the connection
                }
            });
            LauncherWire wire = new LauncherWire(new SocketBytes("PMI_PORT", "127.0.0.1:" + server.getLocalPort()));
            PmiOne one = new PmiOne(wire);
            PmiTwo two = new PmiTwo(wire, "7", 1);
            return new Pmi(wire, versionTwo ? two : one, versionTwo ? one : two)
                    .share(Optional.empty(), Duration.ofSeconds(5));
        }
    }

    private static final String ONE = "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n";
    private static final String STORE = "cmd=my_kvsname kvsname=kvs_0\n";
    private static final String OUT = "cmd=barrier_out\n";

    @Test
    void version1_answersInOrder_textArrives() throws IOException {
        String sent = ONE + STORE + OUT + "cmd=get_result rc=0 msg=success value=10.0.0.1/9/s\ncmd=finalize_ack\n";
        assertEquals("10.0.0.1/9/s", share(sent.getBytes(StandardCharsets.US_ASCII), false));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\n",
                "cmd=response_to_init\n",
                "cmd=response_to_init rc=-1\ncmd=response_to_init rc=-1\n",
                "HTTP/1.1 400 Bad Request\r\n",
                ONE,
                ONE + "cmd=my_kvsname\n",
                ONE + STORE + "cmd=barrier_in\n",
                ONE + STORE + OUT + "cmd=get_result rc=-1 msg=key_not_found\n",
                ONE + STORE + OUT + "cmd=get_result rc=0\n",
                "cmd=response_to_init rc=-1\ncmd=response_to_init rc=0\n-1    ",
                "cmd=response_to_init rc=-1\ncmd=response_to_init rc=0\n999999",
                "cmd=response_to_init rc=-1\ncmd=response_to_init rc=0\n28    cmd=fullinit-response;rc=-1;"
            })
    void otherAnswers_endWithASentence(String sent) {
        assertTrue(String.valueOf(assertThrows(
                                JobStartException.class, () -> share(sent.getBytes(StandardCharsets.US_ASCII), false))
                        .getMessage())
                .startsWith("The "));
    }

    @Test
    void anyBytes_endWithASentence_whateverTheirLength() {
        Random random = new Random(52);
        for (int i = 0; i < 40; i++) {
            byte[] bytes = new byte[random.nextInt(40_000)];
            random.nextBytes(bytes);
            boolean versionTwo = i % 2 == 0;
            assertThrows(IOException.class, () -> share(bytes, versionTwo));
        }
        byte[] endless = "x".repeat(100_000).getBytes(StandardCharsets.US_ASCII);
        assertThrows(IOException.class, () -> share(endless, false));
    }
}
