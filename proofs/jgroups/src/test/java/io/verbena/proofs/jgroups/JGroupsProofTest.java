package io.verbena.proofs.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.FreePort;
import io.verbena.proofs.Program;
import io.verbena.proofs.Running;
import io.verbena.proofs.Scale;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Two members with TCP_NIO2 in JVMs whose provider is that of the JDK: the members pass ours in as an object. */
class JGroupsProofTest {

    private static final int MESSAGES = 20_000;

    @ParameterizedTest
    @MethodSource("io.verbena.proofs.Carrier#chosen")
    void messagesOfBothMembers_arriveInOrder(Carrier carrier, @TempDir Path directory) throws Exception {
        String first = String.valueOf(FreePort.find());
        String second = String.valueOf(FreePort.find());
        String messages = String.valueOf(Scale.of(MESSAGES));
        Program program = new Program(Carrier.PLAIN, directory)
                .with("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED", "-Djava.net.preferIPv4Stack=true");
        try (Running one = program.start(Member.class.getName(), carrier.name(), first, second, messages, "1000")) {
            one.awaitLine("connected"); // else each member begins a cluster of its own
            try (Running two =
                    program.start(Member.class.getName(), carrier.name(), second, first, messages, "60000")) {
                for (Running member : List.of(one, two)) {
                    List<String> output = member.awaitSuccess();
                    assertEquals("received " + messages, output.getLast());
                    Member.totals(output).requireCarriedBy(carrier, 1, 2L * Scale.of(MESSAGES) * Member.BYTES);
                }
            }
        }
    }
}
