package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.start.JobSecret;
import io.verbena.messaging.start.JobStartException;
import io.verbena.messaging.start.Lines;
import io.verbena.messaging.start.Meeting;
import io.verbena.messaging.start.MeetingClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The meeting of ranks, and strangers that connect to it. */
class BootstrapTest {

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final InetSocketAddress ANYWHERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final JobSecret secret = JobSecret.random();
    private final ExecutorService ranks = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Socket> strangers = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (Socket stranger : strangers) {
            stranger.close();
        }
        ranks.shutdownNow();
    }

    private CompletableFuture<MeetingClient.Job> rank(InetSocketAddress where, int rank, int size, JobSecret its) {
        CompletableFuture<MeetingClient.Job> job = new CompletableFuture<>();
        ranks.execute(() -> {
            try {
                MeetingClient client = new MeetingClient(where, new MeetingClient.Claim(rank, size, its, LONG, true));
                job.complete(client.meet(local -> new InetSocketAddress(local, 1000 + rank)));
            } catch (IOException e) {
                job.completeExceptionally(e);
            }
        });
        return job;
    }

    private Socket stranger(InetSocketAddress where) throws IOException {
        Socket socket = new Socket(where.getAddress(), where.getPort());
        socket.setSoTimeout(60_000);
        strangers.add(socket);
        return socket;
    }

    private static void expectJob(CompletableFuture<MeetingClient.Job> job, int size) throws Exception {
        List<String> ports = job.get(60, TimeUnit.SECONDS).addresses().stream()
                .map(address -> String.valueOf(((InetSocketAddress) address).getPort()))
                .toList();
        assertEquals(size, ports.size());
        for (int i = 0; i < size; i++) {
            assertEquals(String.valueOf(1000 + i), ports.get(i));
        }
    }

    private static String failure(CompletableFuture<MeetingClient.Job> job) {
        Throwable cause = assertThrows(Exception.class, () -> job.get(60, TimeUnit.SECONDS))
                .getCause();
        assertEquals(JobStartException.class, cause == null ? null : cause.getClass());
        return cause == null ? "" : String.valueOf(cause.getMessage());
    }

    @Test
    void allRanksCome_eachLearnsWhereAllAre() throws Exception {
        InetSocketAddress where = Bootstrap.serve(ANYWHERE, 3, secret, LONG).address();
        List<CompletableFuture<MeetingClient.Job>> jobs =
                List.of(rank(where, 2, 3, secret), rank(where, 0, 3, secret), rank(where, 1, 3, secret));
        for (CompletableFuture<MeetingClient.Job> job : jobs) {
            expectJob(job, 3);
        }
        assertEquals(jobs.get(0).get().number(), jobs.get(1).get().number());
    }

    @Test
    void addressesThatDoNotAnswer_comeFirst_theLastIsReached() throws Exception {
        InetSocketAddress where = Bootstrap.serve(ANYWHERE, 1, secret, LONG).address();
        List<InetSocketAddress> addresses = List.of(
                new InetSocketAddress("::1", where.getPort()),
                new InetSocketAddress("127.15.18.6", where.getPort()),
                where);
        MeetingClient client = new MeetingClient(addresses, new MeetingClient.Claim(0, 1, secret, LONG, true));
        assertEquals(
                1,
                client.meet(local -> new InetSocketAddress(local, 1000))
                        .addresses()
                        .size());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "VERBENA1 1 2 127.0.0.1 9\n",
                "1 2 127.0.0.1 9 00112233445566778899aabbccddeeff 00\n",
                "1 2 127.0.0.1 9 nonce \n",
                " \n",
                "\n",
                "GET / HTTP/1.1\r\n\r\n",
                "\u00ff\u0000\u0001\n"
            })
    void strangerClaimsARank_learnsNothingAndTheRankComesAllTheSame(String claim) throws Exception {
        InetSocketAddress where = Bootstrap.serve(ANYWHERE, 2, secret, LONG).address();
        Socket stranger = stranger(where);
        stranger.getOutputStream().write(claim.getBytes(StandardCharsets.ISO_8859_1));
        String answer;
        try {
            answer = new String(stranger.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (SocketException e) {
            answer = "VERBENA3 reset\n"; // it had sent more than was read
        }
        assertTrue(answer.matches("VERBENA3 \\w+\n(REFUSED\n)?"), answer);
        CompletableFuture<MeetingClient.Job> first = rank(where, 0, 2, secret);
        expectJob(rank(where, 1, 2, secret), 2);
        expectJob(first, 2);
    }

    @Test
    void manySilentStrangers_delayNoRank() throws Exception {
        InetSocketAddress where = Bootstrap.serve(ANYWHERE, 2, secret, LONG).address();
        for (int i = 0; i < 20; i++) {
            stranger(where);
        }
        long startNs = System.nanoTime();
        CompletableFuture<MeetingClient.Job> first = rank(where, 0, 2, secret);
        expectJob(rank(where, 1, 2, secret), 2);
        expectJob(first, 2);
        assertTrue(System.nanoTime() - startNs < 4_000_000_000L, "the ranks waited for them");
    }

    @Test
    void moreStrangersThanPlaces_oldestGoes() throws Exception {
        InetSocketAddress where = Bootstrap.serve(ANYWHERE, 2, secret, LONG).address();
        Socket first = stranger(where);
        for (int i = 0; i < 300; i++) {
            stranger(where);
        }
        long startNs = System.nanoTime();
        assertTrue(ended(first));
        assertTrue(System.nanoTime() - startNs < 4_000_000_000L, "it was not the oldest that went");
        CompletableFuture<MeetingClient.Job> rank = rank(where, 0, 2, secret);
        expectJob(rank(where, 1, 2, secret), 2);
        expectJob(rank, 2);
    }

    private static boolean ended(Socket socket) throws IOException {
        try {
            socket.getInputStream().readAllBytes();
        } catch (SocketException e) {
            // as good an end
        }
        return true;
    }

    @Test
    void lineWithoutAnEnd_isCutOff() throws Exception {
        InetSocketAddress where = Bootstrap.serve(ANYWHERE, 2, secret, LONG).address();
        Socket stranger = stranger(where);
        OutputStream out = stranger.getOutputStream();
        byte[] endless = "x".repeat(64 << 10).getBytes(StandardCharsets.US_ASCII);
        assertThrows(IOException.class, () -> {
            for (int i = 0; i < 10_000; i++) {
                out.write(endless);
            }
        });
    }

    @Test
    void otherSecret_isRejectedWithAMessage() throws Exception {
        InetSocketAddress where = Bootstrap.serve(ANYWHERE, 2, secret, LONG).address();
        assertTrue(failure(rank(where, 1, 2, JobSecret.random())).contains("another secret"));
        CompletableFuture<MeetingClient.Job> first = rank(where, 0, 2, secret);
        expectJob(rank(where, 1, 2, secret), 2);
        expectJob(first, 2);
    }

    @Test
    void serverWithAnotherSecret_isNotBelieved() throws Exception {
        JobSecret other = JobSecret.random();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<MeetingClient.Job> rank =
                    rank((InetSocketAddress) server.getLocalSocketAddress(), 0, 2, secret);
            try (Lines lines = new Lines(server.accept())) {
                lines.send("VERBENA3 00");
                String[] words = lines.next(LONG).orElseThrow().split(" ");
                String all = "JOB\n1\n127.0.0.1 1\n127.0.0.1 2";
                lines.send(all + "\n" + other.proof(words[4], all));
                assertTrue(failure(rank).contains("does not know the secret"));
            }
        }
    }

    @Test
    void rankTwice_orOfAnotherJob_isRejectedWithAMessage() throws Exception {
        InetSocketAddress where = Bootstrap.serve(ANYWHERE, 2, secret, LONG).address();
        CompletableFuture<MeetingClient.Job> first = rank(where, 0, 2, secret);
        assertTrue(failure(rank(where, 0, 3, secret)).contains("2 ranks, not 3"));
        assertTrue(failure(rank(where, 7, 2, secret)).contains("Rank 7"));
        List<CompletableFuture<MeetingClient.Job>> both = List.of(first, rank(where, 0, 2, secret));
        CompletableFuture<Object> any = CompletableFuture.anyOf(both.toArray(CompletableFuture[]::new));
        assertThrows(Exception.class, () -> any.get(60, TimeUnit.SECONDS));
        expectJob(rank(where, 1, 2, secret), 2);
    }

    @Test
    void rankIsMissing_othersAreNotifiedWhich() throws Exception {
        InetSocketAddress where =
                Bootstrap.serve(ANYWHERE, 3, secret, Duration.ofMillis(700)).address();
        String sentence = failure(rank(where, 1, 3, secret));
        assertTrue(sentence.contains("Only 1 of 3") && sentence.contains("rank 0, 2"), sentence);
    }

    @Test
    void meetingCloses_ranksThatArrivedAreNotifiedWhichAreMissing() throws Exception {
        try (Meeting meeting = Bootstrap.serve(ANYWHERE, 3, secret)) {
            try (Lines lines = introduced(meeting.address(), 1, 3)) {
                assertEquals("WAIT", lines.next(LONG).orElseThrow());
                lines.next(LONG);
                meeting.close();
                assertEquals("ERROR", lines.next(LONG).orElseThrow());
                assertEquals(
                        "Only 1 of 3 ranks have arrived. Missing: rank 0, 2.",
                        lines.next(LONG).orElseThrow());
            }
        }
    }

    /** A rank that has said which one it is. */
    private Lines introduced(InetSocketAddress where, int rank, int size) throws IOException {
        Lines lines = new Lines(stranger(where));
        introduce(lines, rank, size);
        return lines;
    }

    private void introduce(Lines lines, int rank, int size) throws IOException {
        String nonce = lines.next(LONG).orElseThrow().split(" ")[1];
        String claim = rank + " " + size + " 127.0.0.1 " + (1000 + rank) + " abc";
        lines.send(claim + " " + secret.proof(nonce, claim));
    }

    @Test
    void moreRanksThanPlacesForStrangers_allConnectBeforeOneSpeaks_allAreKept() throws Exception {
        int size = 300;
        InetSocketAddress where = Bootstrap.serve(ANYWHERE, size, secret, LONG).address();
        List<Lines> all = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            all.add(new Lines(stranger(where)));
        }
        for (int i = 0; i < size; i++) {
            introduce(all.get(i), i, size);
        }
        for (Lines lines : all) {
            assertEquals("WAIT", lines.next(LONG).orElseThrow());
            lines.next(LONG);
            assertEquals("JOB", lines.next(LONG).orElseThrow());
        }
    }

    // A server that is slow, or too busy for this rank.

    @Test
    void connectionEndsBeforeTheRankIsKnown_rankComesAgain_andListensOnce() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            CompletableFuture<MeetingClient.Job> rank =
                    rank((InetSocketAddress) server.getLocalSocketAddress(), 0, 2, secret);
            server.accept().close(); // before it says anything
            try (Lines lines = new Lines(server.accept())) {
                lines.send("VERBENA3 00"); // before the rank speaks
            }
            try (Socket socket = server.accept();
                    Lines lines = new Lines(socket)) {
                lines.send("VERBENA3 00");
                lines.next(LONG); // after it has spoken, in order and not
                socket.setSoLinger(true, 0);
            }
            try (Lines lines = new Lines(server.accept())) {
                lines.send("VERBENA3 00");
                String nonce = lines.next(LONG).orElseThrow().split(" ")[4];
                for (String all : List.of("WAIT", "JOB\n1\n127.0.0.1 1000\n127.0.0.1 1001")) {
                    lines.send(all + "\n" + secret.proof(nonce, all));
                }
                expectJob(rank, 2);
            }
        }
    }

    @Test
    void connectionEndsWhileTheRankWaits_jobHasEnded() throws Exception {
        for (boolean reset : List.of(false, true)) {
            try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
                CompletableFuture<MeetingClient.Job> rank =
                        rank((InetSocketAddress) server.getLocalSocketAddress(), 0, 2, secret);
                try (Socket socket = server.accept();
                        Lines lines = new Lines(socket)) {
                    lines.send("VERBENA3 00");
                    String nonce = lines.next(LONG).orElseThrow().split(" ")[4];
                    lines.send("WAIT\n" + secret.proof(nonce, "WAIT"));
                    socket.setSoLinger(reset, 0);
                }
                assertEquals("The job ended before all ranks had started.", failure(rank));
            }
        }
    }

    @Test
    void serverWithoutTheSecretSaysWait_isNotBelieved() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            CompletableFuture<MeetingClient.Job> rank =
                    rank((InetSocketAddress) server.getLocalSocketAddress(), 0, 2, secret);
            try (Lines lines = new Lines(server.accept())) {
                lines.send("VERBENA3 00");
                String nonce = lines.next(LONG).orElseThrow().split(" ")[4];
                lines.send("WAIT\n" + JobSecret.random().proof(nonce, "WAIT"));
                assertTrue(failure(rank).contains("does not know the secret"));
            }
        }
    }

    @Test
    void rankDiedWhileItWaited_othersStart() throws Exception {
        InetSocketAddress where = Bootstrap.serve(ANYWHERE, 2, secret, LONG).address();
        try (Socket socket = new Socket(where.getAddress(), where.getPort());
                Lines lines = new Lines(socket)) {
            introduce(lines, 0, 2);
            assertEquals("WAIT", lines.next(LONG).orElseThrow());
            socket.setSoLinger(true, 0);
        }
        expectJob(rank(where, 1, 2, secret), 2);
    }

    // The environment.

    private static String startFailure(Map<String, String> environment) {
        return String.valueOf(
                assertThrows(JobStartException.class, () -> Bootstrap.join(MessagingOptions.defaults(), environment))
                        .getMessage());
    }

    @Test
    void bareMpirun_saysWhatToSet_withoutAStackTrace() {
        Map<String, String> environment = new HashMap<>();
        environment.put("OMPI_COMM_WORLD_RANK", "0");
        environment.put("OMPI_COMM_WORLD_SIZE", "2");
        assertTrue(startFailure(environment).contains("Set VERBENA_BOOTSTRAP"));
        environment.put(Bootstrap.ADDRESS, "127.0.0.1:99999");
        assertTrue(startFailure(environment).contains("127.0.0.1:99999"));
        environment.put(Bootstrap.ADDRESS, "127.0.0.1:0");
        assertTrue(startFailure(environment).contains("Set VERBENA_SECRET"));
        environment.put(JobSecret.TEXT, "short");
        assertTrue(startFailure(environment).contains("5 characters"));
        environment.put("OMPI_COMM_WORLD_RANK", "2");
        assertTrue(startFailure(environment).contains("no rank 2"));

        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        new JobStartException("a sentence").printStackTrace(new PrintStream(printed, true, StandardCharsets.UTF_8));
        assertEquals(1, printed.toString(StandardCharsets.UTF_8).lines().count());
    }

    @Test
    void secretInAFile_isRead_unlessOthersCanReadIt(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("secret"), "0123456789abcdef\n");
        Map<String, String> environment = Map.of(JobSecret.FILE, file.toString());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        String sentence = String.valueOf(assertThrows(JobStartException.class, () -> JobSecret.of(environment))
                .getMessage());
        assertTrue(sentence.contains("chmod 600"), sentence);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertEquals("0123456789abcdef", JobSecret.of(environment).text());
        Files.writeString(file, "\n");
        assertThrows(JobStartException.class, () -> JobSecret.of(environment));
        Files.delete(file);
        assertThrows(JobStartException.class, () -> JobSecret.of(environment));
    }

    @Test
    void proof_dependsOnSecretNonceAndWords() {
        String proof = secret.proof("n", "words");
        assertTrue(secret.proves(proof, "n", "words"));
        assertFalse(secret.proves(proof, "m", "words"));
        assertFalse(secret.proves(proof, "n", "word"));
        assertFalse(JobSecret.random().proves(proof, "n", "words"));
        assertFalse(secret.proves("", "n", "words"));
    }
}
