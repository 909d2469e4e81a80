package io.verbena.proofs.kafka;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Results;
import io.verbena.sockets.nio.SocketsOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Kafka's tests of its network classes: those that pass over the provider of the JDK pass over ours, in the same run. Their server is
 * a java.net.ServerSocket, which a provider does not reach, so no peer is listed: the channels and selectors are ours, and TCP
 * carries them.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class KafkaSuiteProofTest {

    private static final String CLASSES = "org\\.apache\\.kafka\\.common\\.network\\.(Ssl)?SelectorTest";

    private static final List<String> EXCLUDED = List.of();

    @ParameterizedTest
    @MethodSource("io.verbena.proofs.Carrier#chosen")
    void testsOfKafka_passAsOverTheProviderOfTheJdk(Carrier carrier, @TempDir Path directory) throws Exception {
        List<String> options = List.of("-Xmx1g", "-XX:+EnableDynamicAgentLoading");
        Results jdk = Results.of(Carrier.PLAIN, directory, options, "kafka-clients-4.3.1-test", CLASSES);
        List<String> noPeers = List.of("-Xmx1g", "-XX:+EnableDynamicAgentLoading", "-D" + SocketsOptions.RDMA + "=");
        Results ours = Results.of(carrier, directory, noPeers, "kafka-clients-4.3.1-test", CLASSES);
        ours.requireAllOf(jdk, EXCLUDED);
    }
}
