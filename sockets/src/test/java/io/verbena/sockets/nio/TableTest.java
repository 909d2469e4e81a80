package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Runs each case with the provider of the JDK and with ours, with plain connections, with iWARP, with RoCE,
 * and with shared memory, and compares the results, the types of exceptions and the states of keys.
 */
class TableTest {

    private static final InetAddress ROCE_ADDRESS = Stage.freeAddress();

    private static final Map<String, SelectorProvider> OURS = new TreeMap<>(Map.of(
            "plain",
                    VerbenaSelectorProvider.of(SocketsOptions.defaults()
                            .withPatience(Duration.ofSeconds(20))
                            .withProvider("iwarp")),
            "roce",
                    VerbenaSelectorProvider.of(SocketsOptions.defaults()
                            .withPatience(Duration.ofSeconds(20))
                            .withRdma("*")
                            .withProvider("roce")
                            .withDevice(ROCE_ADDRESS.getHostAddress())),
            "memory",
                    VerbenaSelectorProvider.of(SocketsOptions.defaults()
                            .withPatience(Duration.ofSeconds(20))
                            .withSilence(Duration.ofSeconds(2))
                            .withStreams(SocketsOptions.defaults().streams().withRings(false))),
            "ring",
                    VerbenaSelectorProvider.of(SocketsOptions.defaults()
                            .withPatience(Duration.ofSeconds(20))
                            .withSilence(Duration.ofSeconds(2))
                            .withStreams(SocketsOptions.defaults().streams().withRings(true))),
            "iwarp",
                    VerbenaSelectorProvider.of(SocketsOptions.defaults()
                            .withPatience(Duration.ofSeconds(20))
                            .withRdma("*")
                            .withProvider("iwarp")
                            // One thread connects and accepts: a client that is slow to ask must not be handed over
                            // undecided.
                            .withSilence(Duration.ofSeconds(2)))));

    private static Map<String, Stage.Body> cases() {
        Map<String, Stage.Body> cases = new LinkedHashMap<>();
        List.of(
                        ConnectCases.cases(),
                        TransferCases.cases(),
                        FileCases.cases(),
                        OptionCases.cases(),
                        KeyCases.cases(),
                        SocketCases.cases(),
                        WaitCases.cases(),
                        AnswerCases.cases())
                .forEach(cases::putAll);
        return cases;
    }

    @TestFactory
    Stream<DynamicTest> everyCase_hasTheOutcomeOfTheJdk() {
        String only = System.getProperty("verbena.case", "");
        return cases().entrySet().stream()
                .filter(each -> each.getKey().contains(only))
                .map(each -> DynamicTest.dynamicTest(each.getKey(), () -> compare(each.getKey(), each.getValue())));
    }

    private static void compare(String name, Stage.Body body) throws Exception {
        String expected = run("jdk", SelectorProvider.provider(), body);
        for (Map.Entry<String, SelectorProvider> ours : OURS.entrySet()) {
            String carrier = ours.getKey();
            if (!carrier.contains(System.getProperty("verbena.carrier", ""))) {
                continue;
            }
            try (Stage stage = stage(carrier, ours.getValue())) {
                assertEquals(expected, Stage.outcome(stage, body), () -> name + " " + carrier + stage.thrown());
            }
        }
    }

    private static String run(String carrier, SelectorProvider provider, Stage.Body body) throws Exception {
        try (Stage stage = stage(carrier, provider)) {
            return Stage.outcome(stage, body);
        }
    }

    private static Stage stage(String carrier, SelectorProvider provider) {
        return new Stage(provider, carrier.equals("roce") ? ROCE_ADDRESS : InetAddress.getLoopbackAddress());
    }

    @ParameterizedTest
    @CsvSource({"plain, TCP", "iwarp, IWARP", "roce, ROCE", "memory, SHARED_MEMORY", "ring, SHARED_MEMORY"})
    void carrier_carriesTheConnectionsOfTheCases(String carrier, SocketTransport expected) throws Exception {
        SelectorProvider provider = Objects.requireNonNull(OURS.get(carrier));
        assertEquals(expected.toString(), run(carrier, provider, stage -> {
            Stage.Pair pair = stage.pair();
            pair.client().write(Stage.text("x"));
            assertEquals("x", Stage.read(pair.server(), 1));
            assertEquals(expected, Stage.transport(pair.client()));
            return Stage.transport(pair.server());
        }));
    }

    @Test
    void table_hasAtLeast500Cases() {
        assertTrue(cases().size() >= 500, "cases: " + cases().size());
    }
}
