package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Figures;
import io.verbena.verbs.Listener;
import io.verbena.verbs.RnicFigures;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The figures of a queue pair whose connection has changed its transport. */
class SurvivalFiguresTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static Figures queuePair(VirtualHost host) {
        return host.rnic().figures().parts().stream()
                .filter(each -> each.subject().equals("queue_pair"))
                .findFirst()
                .orElseThrow();
    }

    private static Optional<Long> changes(VirtualHost host) {
        return queuePair(host).values().stream()
                .filter(each -> each.figure().equals(RnicFigures.TRANSPORT_CHANGES))
                .map(Figures.Value::number)
                .findFirst();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void changes_areFiguresOfAConnectionThatSurvives(boolean survives) throws IOException {
        ConnectionOptions options = survives ? ConnectionOptions.defaults().surviving() : ConnectionOptions.defaults();
        try (World world = new World(1, Profile.CALM).withoutStates()) {
            VirtualHost client = world.addHost(RnicOptions.defaults());
            VirtualHost server = world.addHost(RnicOptions.defaults());
            Listener listener = server.rnic().listen(server.address(7471));
            SurvivalProgram near = new SurvivalProgram(client, world.random(), 1);
            SurvivalProgram far = new SurvivalProgram(server, world.random(), 1);
            Connection from = client.rnic().startConnect(near.queuePair, listener.localAddress(), options);
            Connection to = listener.nextRequest(MINUTE).orElseThrow().startAccept(far.queuePair, options);
            from.awaitEstablished(MINUTE);
            to.awaitEstablished(MINUTE);
            assertEquals(survives ? Optional.of(0L) : Optional.empty(), changes(client));
            if (survives) {
                from.migrate();
                for (int i = 0;
                        from.transportChanges().changes()
                                        + to.transportChanges().changes()
                                < 2;
                        i++) {
                    assertTrue(i < 1_000_000 && world.step(), "the transport does not change");
                }
                assertEquals(Optional.of(1L), changes(client));
                assertEquals(Optional.of(1L), changes(server));
                assertEquals("IWARP", queuePair(client).texts().get("carrier"));
            }
        }
    }
}
