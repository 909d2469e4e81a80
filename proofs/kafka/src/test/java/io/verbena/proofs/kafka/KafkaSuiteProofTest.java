package io.verbena.proofs.kafka;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Results;
import io.verbena.sockets.nio.SocketsOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Kafka's tests of its network classes: those that pass over the provider of the JDK pass over ours, in the same run. The server of some is a
 * java.net.ServerSocket, which a provider does not reach: for them no peer is listed, and TCP carries our channels and selectors. The server of the
 * others is one of channels, and RDMA carries nine of ten of their connections.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class KafkaSuiteProofTest {

    private static final boolean SHORT = Boolean.getBoolean("verbena.proofs.short");

    private static final String WITH_SERVER_SOCKETS = "org\\.apache\\.kafka\\.common\\.network\\."
            + (SHORT ? "(Ssl)?SelectorTest" : "(Ssl|Tls12|Tls13)?SelectorTest");

    private static final String WITH_CHANNELS = "org\\.apache\\.kafka\\.common\\."
            + (SHORT
                    ? "network\\.SslTransportTls12Tls13Test"
                    : "(network\\.Ssl.*Transport.*Test"
                            + "|security\\.authenticator\\.(SaslAuthenticator|ClientAuthenticationFailure).*Test)");

    private static final List<String> OPTIONS = List.of("-Xmx1g", "-XX:+EnableDynamicAgentLoading");

    private static final int LEAST_PERCENT = 90;

    @ParameterizedTest
    @MethodSource("io.verbena.proofs.Carrier#chosen")
    void testsWithServerSockets_passAsOverTheProviderOfTheJdk(Carrier carrier, @TempDir Path directory)
            throws Exception {
        compare(carrier, directory, WITH_SERVER_SOCKETS, "-D" + SocketsOptions.RDMA + "=");
    }

    @ParameterizedTest
    @MethodSource("io.verbena.proofs.Carrier#chosen")
    void testsWithChannels_passAsOverTheProviderOfTheJdk_byRdma(Carrier carrier, @TempDir Path directory)
            throws Exception {
        Results ours = compare(carrier, directory, WITH_CHANNELS, "-D" + SocketsOptions.RDMA + "=*");
        ours.testimony().requireCarriedBy(carrier, 1, 1);
        ours.ends().requireByRdma(carrier, LEAST_PERCENT);
    }

    private static Results compare(Carrier carrier, Path directory, String classes, String... options)
            throws Exception {
        Results jdk = Results.of(Carrier.PLAIN, directory, OPTIONS, "kafka-clients-4.3.1-test", classes);
        List<String> all = new ArrayList<>(OPTIONS);
        all.addAll(List.of(options));
        Results ours = Results.of(carrier, directory, all, "kafka-clients-4.3.1-test", classes);
        ours.requireAllOf(jdk, List.of());
        return ours;
    }
}
